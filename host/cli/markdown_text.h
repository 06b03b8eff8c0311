#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace quarry::cli {

/// The look of markdown on a terminal.
struct MarkdownStyle {
  std::size_t width = 80;  ///< columns; longer lines of prose are wrapped, code is not
  bool colour = true;      ///< escape sequences for colours, bold text and links
};

/// Markdown (CommonMark, with tables, task lists and bare links) as lines of text for a terminal.
/// Its text is made printable; HTML is shown as text; links lead to http, https and mailto alone.
/// Ends with a newline unless it is empty.
[[nodiscard]] std::string markdown_text(std::string_view markdown, const MarkdownStyle& style);

}  // namespace quarry::cli
