/// Headings of Markdown.
#ifndef QUARRY_SYMBOLS_DOCUMENTS_MARKDOWN_H
#define QUARRY_SYMBOLS_DOCUMENTS_MARKDOWN_H

#include "symbols-documents/sections.h"

#include <string_view>
#include <vector>

namespace quarry::symbols_documents {

/// Headings "# …" and underlined ones, as CommonMark 0.31 has them at the top level: neither in
/// code, comments and front matter, nor in quotations and lists.
std::vector<Heading> markdown_headings(std::string_view text);

}  // namespace quarry::symbols_documents

#endif
