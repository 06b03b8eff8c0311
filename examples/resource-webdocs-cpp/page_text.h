/// A page's response as the text of a file.
#ifndef WEBDOCS_PAGE_TEXT_H
#define WEBDOCS_PAGE_TEXT_H

#include "url.h"

#include <quarry/http.hpp>

#include <optional>
#include <string>

namespace webdocs {

struct PageText {
  std::string text;
  std::string title;       ///< at most 300 bytes, whole characters; may be empty
  std::string media_type;  ///< of `text`
};

/// HTML becomes Markdown, Markdown and plain text stay as they are; nullopt for other media types.
std::optional<PageText> text_of(const quarry::HttpResponse& response, const Url& page);

/// True for a response that is HTML, by its type or its first bytes.
bool is_html(const quarry::HttpResponse& response);

/// The ETag of a response, else its Last-Modified; empty when it has neither, or one that is longer
/// than 200 bytes.
std::string validator_of(const quarry::HttpResponse& response);

/// The header that makes a request conditional upon such a validator.
quarry::HttpHeader condition_of(const std::string& validator);

}  // namespace webdocs

#endif
