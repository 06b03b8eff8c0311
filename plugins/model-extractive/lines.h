#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::extractive {

/// A line of a source, as the tools print it.
struct NumberedLine {
  std::uint32_t number;  ///< from 1
  std::string text;
};

/// The lines of `text` without their ends.
[[nodiscard]] std::vector<std::string_view> line_views(std::string_view text);

/// True if `line` is empty or white space.
[[nodiscard]] bool is_blank(std::string_view line);

/// `line` without white space around it.
[[nodiscard]] std::string_view trimmed(std::string_view line);

/// The number of spaces and tabs before the first other character.
[[nodiscard]] std::size_t indentation(std::string_view line);

/// The words of `lines` without white space around them, to compare quotations.
[[nodiscard]] std::string plain_text(const std::vector<NumberedLine>& lines);

}  // namespace quarry::extractive
