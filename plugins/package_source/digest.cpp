#include "package_source/digest.h"

#include <array>
#include <stdexcept>

#include <openssl/evp.h>

namespace quarry::package_source {
namespace {

void check(int done, const std::string& algorithm) {
  if (done != 1) throw std::runtime_error("this system cannot compute " + algorithm);
}

}  // namespace

struct Digest::State {
  std::string algorithm;
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context{EVP_MD_CTX_new(),
                                                                  EVP_MD_CTX_free};
};

Digest::Digest(const std::string& algorithm) : state_(std::make_unique<State>()) {
  state_->algorithm = algorithm;
  const EVP_MD* const kind = EVP_get_digestbyname(algorithm.c_str());
  const bool known = kind != nullptr && state_->context != nullptr;
  check(known ? EVP_DigestInit_ex(state_->context.get(), kind, nullptr) : 0, algorithm);
}

Digest::Digest(Digest&&) noexcept = default;
Digest& Digest::operator=(Digest&&) noexcept = default;
Digest::~Digest() = default;

void Digest::add(std::string_view bytes) {
  check(EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size()), state_->algorithm);
}

std::string Digest::bytes() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  check(EVP_DigestFinal_ex(state_->context.get(), digest.data(), &size), state_->algorithm);
  return {reinterpret_cast<const char*>(digest.data()), size};
}

std::string Digest::hex() {
  return to_hex(bytes());
}

std::string to_hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += {kDigits[byte >> 4U], kDigits[byte & 15U]};
  }
  return out;
}

std::string sha256_hex(std::string_view bytes) {
  Digest digest;
  digest.add(bytes);
  return digest.hex();
}

}  // namespace quarry::package_source
