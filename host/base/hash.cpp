#include "base/hash.h"

#include "base/file.h"
#include "base/octets.h"

#include <array>

#include <nettle/hmac.h>
#include <nettle/sha2.h>

namespace quarry {
namespace {

using Digest = std::array<unsigned char, SHA256_DIGEST_SIZE>;

std::string hex_of(const Digest& digest) {
  return to_hex({reinterpret_cast<const char*>(digest.data()), digest.size()});
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
  Digest digest;
  sha256_ctx context;
  sha256_init(&context);
  sha256_update(&context, bytes.size(), octets(bytes));
  sha256_digest(&context, digest.size(), digest.data());
  return hex_of(digest);
}

std::string hmac_sha256_hex(std::string_view key, std::string_view bytes) {
  Digest digest;
  hmac_sha256_ctx context;
  hmac_sha256_set_key(&context, key.size(), octets(key));
  hmac_sha256_update(&context, bytes.size(), octets(bytes));
  hmac_sha256_digest(&context, digest.size(), digest.data());
  return hex_of(digest);
}

Result<std::string> sha256_file(const std::filesystem::path& path) {
  const auto file = MappedFile::open(path);
  if (!file) return file.error();
  return sha256_hex(file->bytes());
}

}  // namespace quarry
