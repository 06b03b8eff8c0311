#pragma once

#include <string>
#include <string_view>

namespace quarry::access {

/// A new token. Its text is shown once and never stored.
struct FreshToken {
  std::string id;    ///< identifies it in lists, logs and the audit
  std::string text;  ///< 256 random bits after a prefix that secret scanners can recognise
  std::string hash;  ///< stored instead of the text
};
FreshToken make_token();

/// SHA-256 of a token's text, its key in the store. The time to compare hashes of guesses reveals
/// nothing about the token.
std::string hash_of(std::string_view text);

}  // namespace quarry::access
