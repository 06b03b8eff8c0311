#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace quarry::corpus {

/// The notation in which a text marks its parts.
enum class Markup { kCode, kMarkdown, kUnderlined, kHtml, kManual, kData };

/// Determined by name and extension; code unless known to be prose or data.
[[nodiscard]] Markup markup_of(std::string_view path);

struct Heading {
  std::size_t level = 0;   ///< 1 is the highest, 2 below it …; 0 = no heading
  std::size_t column = 0;  ///< bytes before it in its line; always 0 except in HTML
};

/// Finds the headings of one text, line by line.
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
  std::string underlines_;  // characters in order of first use, which is their level
};

/// The heading or definition that begins at byte `offset`, at most 300 bytes: to the end of its
/// line, in HTML to the end of the element.
[[nodiscard]] std::string_view heading_at(std::string_view text, std::size_t offset);

/// The line of a heading or definition without its markup ("## ", "<h2>", " {").
[[nodiscard]] std::string without_markup(std::string_view line);

}  // namespace quarry::corpus
