#include "base/hash.h"

#include "base/file.h"
#include "base/octets.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

namespace quarry {
namespace {

std::string_view text_of(const unsigned char* digest, std::size_t size) {
  return {reinterpret_cast<const char*>(digest), size};
}

}  // namespace

bool is_sha256_hex(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == text.npos;
}

std::string to_hex(std::string_view bytes) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  out.reserve(2 * bytes.size());
  for (const char byte : bytes) {
    const auto octet = static_cast<unsigned char>(byte);
    out += kHex[octet >> 4];
    out += kHex[octet & 15];
  }
  return out;
}

std::string sha256_hex(std::string_view bytes) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  // The one-shot form avoids library initialisation at start-up.
  SHA256(octets(bytes), bytes.size(), digest);
  return to_hex(text_of(digest, sizeof digest));
}

std::string hmac_sha256_hex(std::string_view key, std::string_view bytes) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  unsigned int size = sizeof digest;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), octets(bytes), bytes.size(), digest,
       &size);
  return to_hex(text_of(digest, size));
}

Result<std::string> sha256_file(const std::filesystem::path& path) {
  const auto file = MappedFile::open(path);
  if (!file) return file.error();
  return sha256_hex(file->bytes());
}

}  // namespace quarry
