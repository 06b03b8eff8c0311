#pragma once

#include <string>
#include <string_view>

namespace quarry::corpus {

/// What a reader sees of a piece of HTML: a space stands for each tag, comment, style sheet, script
/// and entity. A piece may begin or end anywhere; a tag that is not closed ends it. [any thread]
[[nodiscard]] std::string html_text(std::string_view html);

}  // namespace quarry::corpus
