/// Readable Markdown from HTML.
#ifndef WEBDOCS_MARKDOWN_H
#define WEBDOCS_MARKDOWN_H

#include "url.h"

#include <string>
#include <string_view>

namespace webdocs {

struct Markdown {
  std::string title;  ///< of the element title; may be empty
  std::string text;   ///< ends with a line break, unless it is empty
};

/// Converts headings, paragraphs, lists, code blocks, rows of tables and links, which become
/// absolute by `page`. Drops scripts, styles and navigation, and everything outside of the element
/// main where there is one. Any bytes are accepted; time and space are linear.
Markdown to_markdown(std::string_view html, const Url& page);

}  // namespace webdocs

#endif
