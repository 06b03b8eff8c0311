#include "base/hash.h"

#include "base/file.h"

#include <openssl/sha.h>

namespace quarry {

std::string sha256_hex(std::string_view bytes) {
  static constexpr char kHex[] = "0123456789abcdef";
  unsigned char digest[SHA256_DIGEST_LENGTH];
  // The one-shot form needs no library initialisation, which would cost start-up time.
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest);
  std::string out;
  out.reserve(2 * sizeof digest);
  for (const unsigned char byte : digest) {
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  }
  return out;
}

Result<std::string> sha256_file(const std::filesystem::path& path) {
  const auto file = MappedFile::open(path);
  if (!file) return file.error();
  return sha256_hex(file->bytes());
}

}  // namespace quarry
