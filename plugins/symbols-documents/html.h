/// Headings of HTML.
#ifndef QUARRY_SYMBOLS_DOCUMENTS_HTML_H
#define QUARRY_SYMBOLS_DOCUMENTS_HTML_H

#include "symbols-documents/sections.h"

#include <string_view>
#include <vector>

namespace quarry::symbols_documents {

/// The elements h1 to h6 with text, not those in comments and scripts. Their names are their texts
/// without markup, with the characters that references such as "&amp;" stand for.
std::vector<Heading> html_headings(std::string_view text);

}  // namespace quarry::symbols_documents

#endif
