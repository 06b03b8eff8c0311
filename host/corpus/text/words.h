#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// Maximum length of a word; longer runs of letters (encoded data) are skipped.
inline constexpr std::size_t kMaxWordBytes = 64;

/// Iterates over the words of a UTF-8 text, unchanged: whole identifiers ("parse_request",
/// "HTTPServer"), numbers, words of other scripts. Scripts written without spaces are returned as
/// overlapping pairs of characters. Not thread-safe.
class WordScanner {
 public:
  explicit WordScanner(std::string_view text) : text_(text) {}
  /// The next word, a view into the text; empty at the end.
  std::string_view next();

 private:
  std::string_view letters();
  std::string_view next_pair();

  std::string_view text_;
  std::size_t at_ = 0;
};

/// Cuts an identifier at '_', between lower and upper case, between letters and digits, and before
/// the last capital of an acronym: HTTPServer2 = HTTP Server 2. [any thread]
[[nodiscard]] std::vector<std::string_view> split_identifier(std::string_view word);

/// `word` in lower case: ASCII and the two-byte letters of Latin, Greek and Cyrillic. [any thread]
[[nodiscard]] std::string lower_word(std::string_view word);

/// One form for parse_request, parseRequest and ParseRequest: lower case without '_'. [any thread]
[[nodiscard]] std::string fold_identifier(std::string_view word);

/// fold_identifier with each part stemmed: parse_requests and "parsing requests" both become
/// "parsrequest". [any thread]
[[nodiscard]] std::string join_stems(std::string_view word);

/// The index terms of one word of a text.
struct WordTerms {
  std::vector<std::string> parts;  ///< stems of its parts: "pars", "request"
  std::string whole;               ///< its stems joined if it has several: "parsrequest"
};

/// The terms of `word`; none for single letters and numbers of more than 5 digits. [any thread]
[[nodiscard]] WordTerms terms_of(std::string_view word);

}  // namespace quarry::corpus
