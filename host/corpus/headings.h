#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace quarry::corpus {

/// How a text marks its parts.
enum class Markup { kCode, kMarkdown, kUnderlined, kHtml, kManual, kData };

/// By name and extension; what is not known to be prose or data counts as code.
[[nodiscard]] Markup markup_of(std::string_view path);

/// Tells headings from other lines, line by line through one text.
class HeadingFinder {
 public:
  explicit HeadingFinder(Markup markup) : markup_(markup) {}
  /// 1 for the highest heading, 2 below it …; 0 when `line` is none. `next` is the line after it.
  std::size_t level(std::string_view line, std::string_view next);

 private:
  std::size_t markdown(std::string_view line, std::string_view next);
  std::size_t underlined(std::string_view line, std::string_view next);

  Markup markup_;
  bool in_fence_ = false;
  std::string underlines_;  // characters in order of first use: that order is their level
};

/// A heading's or definition's line without what only marks it ("## ", "<h2>", " {").
[[nodiscard]] std::string without_markup(std::string_view line);

}  // namespace quarry::corpus
