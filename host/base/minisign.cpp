// https://jedisct1.github.io/minisign/#signature-format
#include "base/minisign.h"

#include "base/octets.h"
#include "base/text.h"

#include <quarry/base64.hpp>

#include <cstdio>
#include <optional>
#include <sodium.h>
#include <vector>

namespace quarry {
namespace {

constexpr std::string_view kUntrusted = "untrusted comment: ";
constexpr std::string_view kTrusted = "trusted comment: ";
constexpr std::string_view kLegacy = "Ed";
constexpr std::string_view kPrehashed = "ED";
constexpr std::size_t kIdSize = 8;
constexpr std::size_t kKeySize = 32;
constexpr std::size_t kSignatureSize = 64;

/// The `size` bytes that `text` encodes in the canonical way; nothing otherwise.
std::optional<std::string> decoded(std::string_view text, std::size_t size) {
  auto bytes = from_base64(text);
  if (!bytes || bytes->size() != size || to_base64(*bytes) != text) return std::nullopt;
  return bytes;
}

std::uint64_t id_of(std::string_view bytes) {
  std::uint64_t id = 0;
  for (std::size_t i = kIdSize; i-- > 0;) id = id << 8 | static_cast<unsigned char>(bytes[i]);
  return id;
}

/// The lines of `text`, without the end of line that minisign of another system may write.
std::vector<std::string_view> lines_of(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  auto lines = split(text, '\n');
  for (auto& line : lines) {
    if (line.ends_with('\r')) line.remove_suffix(1);
  }
  return lines;
}

Error malformed(std::string_view cause) {
  return {Code::kInvalidArgument, "it is not a signature of minisign: " + std::string(cause),
          "sign again with minisign -S"};
}

std::string blake2b_512(std::string_view message) {
  std::string digest(crypto_generichash_blake2b_BYTES_MAX, '\0');
  crypto_generichash_blake2b(octets(digest), digest.size(), octets(message), message.size(),
                             nullptr, 0);
  return digest;
}

bool verify_ed25519(std::string_view key, std::string_view signature, std::string_view message) {
  return crypto_sign_verify_detached(octets(signature), octets(message), message.size(),
                                     octets(key)) == 0;
}

}  // namespace

Result<MinisignKey> parse_minisign_key(std::string_view text) {
  const auto bytes = decoded(text, kLegacy.size() + kIdSize + kKeySize);
  if (!bytes || !bytes->starts_with(kLegacy)) {
    return Error(Code::kInvalidArgument,
                 "\"" + std::string(text) + "\" is not a public key of minisign",
                 "write the second line of minisign.pub, which begins with RW");
  }
  return MinisignKey{.text = std::string(text),
                     .id = id_of(std::string_view(*bytes).substr(kLegacy.size())),
                     .bytes = bytes->substr(kLegacy.size() + kIdSize)};
}

Result<MinisignSignature> parse_minisign_signature(std::string_view text) {
  const auto lines = lines_of(text);
  if (lines.size() != 4) return malformed("it has no four lines");
  if (!lines[0].starts_with(kUntrusted)) return malformed("line 1 is no untrusted comment");
  if (!lines[2].starts_with(kTrusted)) return malformed("line 3 is no trusted comment");
  auto bytes = decoded(lines[1], kLegacy.size() + kIdSize + kSignatureSize);
  auto global = decoded(lines[3], kSignatureSize);
  if (!bytes || !global) return malformed("a line is not the base64 of a signature");
  if (!bytes->starts_with(kLegacy) && !bytes->starts_with(kPrehashed)) {
    return malformed("its algorithm is unknown");
  }
  return MinisignSignature{.key_id = id_of(std::string_view(*bytes).substr(kLegacy.size())),
                           .prehashed = bytes->starts_with(kPrehashed),
                           .bytes = bytes->substr(kLegacy.size() + kIdSize),
                           .trusted_comment = std::string(lines[2].substr(kTrusted.size())),
                           .global = std::move(*global)};
}

bool verify_minisign(const MinisignKey& key, const MinisignSignature& signature,
                     std::string_view message) {
  if (key.id != signature.key_id || sodium_init() < 0) return false;
  const auto hashed = signature.prehashed ? blake2b_512(message) : std::string();
  return verify_ed25519(key.bytes, signature.bytes, signature.prehashed ? hashed : message) &&
         verify_ed25519(key.bytes, signature.global, signature.bytes + signature.trusted_comment);
}

std::string minisign_key_id(std::uint64_t id) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llX", static_cast<unsigned long long>(id));
  return digits;
}

}  // namespace quarry
