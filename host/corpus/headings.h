#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace quarry::corpus {

/// How a text marks its parts.
enum class Markup { kCode, kMarkdown, kUnderlined, kHtml, kManual, kData };

/// By name and extension; what is not known to be prose or data counts as code.
[[nodiscard]] Markup markup_of(std::string_view path);

struct Heading {
  std::size_t level = 0;   ///< 1 for the highest, 2 below it …; 0 = no heading
  std::size_t column = 0;  ///< bytes before it in its line; not 0 only in HTML
};

/// Tells headings from other lines, line by line through one text.
class HeadingFinder {
 public:
  explicit HeadingFinder(Markup markup) : markup_(markup) {}
  /// `next` is the line after `line`.
  Heading find(std::string_view line, std::string_view next);

 private:
  std::size_t level(std::string_view line, std::string_view next);
  std::size_t markdown(std::string_view line, std::string_view next);
  std::size_t underlined(std::string_view line, std::string_view next);

  Markup markup_;
  bool in_fence_ = false;
  std::string underlines_;  // characters in order of first use: that order is their level
};

/// The heading or definition that begins at byte `offset`, at most 300 bytes: to the end of its
/// line, in HTML to the end of the element.
[[nodiscard]] std::string_view heading_at(std::string_view text, std::size_t offset);

/// A heading's or definition's line without what only marks it ("## ", "<h2>", " {").
[[nodiscard]] std::string without_markup(std::string_view line);

}  // namespace quarry::corpus
