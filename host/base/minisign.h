#pragma once

#include "base/error.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace quarry {

/// A public key of minisign (Ed25519), "RW" and 54 more digits of base64.
struct MinisignKey {
  std::string text;      ///< as it is written
  std::uint64_t id = 0;  ///< names the key in signatures
  std::string bytes;     ///< 32
};

/// kInvalidArgument when `text` is no such key.
Result<MinisignKey> parse_minisign_key(std::string_view text);

/// The content of a signature file of minisign, not verified.
struct MinisignSignature {
  std::uint64_t key_id = 0;
  bool prehashed = false;       ///< of the BLAKE2b-512 digest, not of the message ("legacy")
  std::string bytes;            ///< 64
  std::string trusted_comment;  ///< signed too, by `global`
  std::string global;           ///< 64
};

/// kInvalidArgument when `text` is no such file: four lines, two of them base64.
Result<MinisignSignature> parse_minisign_signature(std::string_view text);

/// True if `key` made the signature of `message` and the one of the trusted comment. [any thread]
[[nodiscard]] bool verify_minisign(const MinisignKey& key, const MinisignSignature& signature,
                                   std::string_view message);

/// A key id as minisign prints it: 16 upper-case hexadecimal digits.
[[nodiscard]] std::string minisign_key_id(std::uint64_t id);

}  // namespace quarry
