#pragma once

#include <string>
#include <string_view>

namespace quarry::corpus {

/// Iterates over the visible text of a piece of HTML: the runs between tags, comments, style
/// sheets, scripts and entities. The piece may begin or end anywhere; a tag that is not closed ends
/// it. Not thread-safe.
class HtmlScanner {
 public:
  explicit HtmlScanner(std::string_view html) : rest_(html) {}
  /// The next run, a view into the piece; empty at the end.
  std::string_view next();

 private:
  std::string_view rest_;
};

/// The visible text, its runs separated by spaces. [any thread]
[[nodiscard]] std::string html_text(std::string_view html);

}  // namespace quarry::corpus
