#include "resource-archive/sha256.h"

#include <array>
#include <stdexcept>

namespace quarry::resource_archive {

namespace {

void check(int done) {
  if (done != 1) throw std::runtime_error("OpenSSL cannot compute SHA-256");
}

}  // namespace

Sha256::Sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
  check(context_ == nullptr ? 0 : EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr));
}

void Sha256::add(std::string_view bytes) {
  check(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()));
}

std::string Sha256::digits() {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::array<unsigned char, 32> digest{};
  check(EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr));
  std::string out;
  for (const unsigned char byte : digest) out += {kHex[byte >> 4U], kHex[byte & 15U]};
  return out;
}

std::string sha256(std::string_view bytes) {
  Sha256 digest;
  digest.add(bytes);
  return digest.digits();
}

}  // namespace quarry::resource_archive
