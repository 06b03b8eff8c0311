#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace quarry::extractive {

/// `text` with its ASCII letters in lower case.
[[nodiscard]] std::string lowered(std::string_view text);

/// The part that a word in lower case shares with its other forms: "configur" of "configuration"
/// and "configured".
[[nodiscard]] std::string stem(std::string_view word);

/// The words of `text` in lower case. Names are split: "parseDate_utc" is "parse", "date", "utc".
[[nodiscard]] std::vector<std::string> words_of(std::string_view text);

/// The stems of words_of(text).
[[nodiscard]] std::vector<std::string> stems_of(std::string_view text);

/// True for words that say nothing about the subject, such as "how".
[[nodiscard]] bool is_common(std::string_view word);

/// True for words that a question about anything may have, such as "way" or "often".
[[nodiscard]] bool is_vague(std::string_view word);

}  // namespace quarry::extractive
