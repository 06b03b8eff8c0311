#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::extractive {

/// A line of a source, as the tools print it.
struct NumberedLine {
  std::uint32_t number;  ///< from 1
  std::string text;
};

/// `text` with its ASCII letters in lower case.
std::string lowered(std::string_view text);

/// The numbered lines ("    12<tab>text") in the output of `read` or `search`, in order.
std::vector<NumberedLine> numbered_lines(std::string_view output);

/// The words of a question to search for: lower case, at least three letters or digits, without the
/// commonest words of English.
std::vector<std::string> key_words(std::string_view question);

/// The best consecutive lines among `lines` for `words`, at most `most`, without blank lines at
/// either end. Empty when there is no line with text.
std::vector<NumberedLine> best_excerpt(const std::vector<NumberedLine>& lines,
                                       const std::vector<std::string>& words, std::size_t most);

}  // namespace quarry::extractive
