#pragma once

#include <string>
#include <string_view>

namespace quarry::access {

/// A token as it is made. Its text is shown once and kept nowhere.
struct FreshToken {
  std::string id;    ///< names it in lists, logs and the audit
  std::string text;  ///< 256 random bits behind a prefix that scanners for secrets can know
  std::string hash;  ///< what the store keeps
};
FreshToken make_token();

/// SHA-256 of a token's text, under which the store knows it. Comparing hashes of guesses tells
/// nothing of the token, however long it takes.
std::string hash_of(std::string_view text);

}  // namespace quarry::access
