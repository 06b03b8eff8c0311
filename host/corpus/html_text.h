#pragma once

#include <string>
#include <string_view>

namespace quarry::corpus {

/// Walks over what a reader sees of a piece of HTML: the runs of text between tags, comments, style
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

/// Those runs with a space between. [any thread]
[[nodiscard]] std::string html_text(std::string_view html);

}  // namespace quarry::corpus
