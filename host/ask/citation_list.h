#pragma once

#include "corpus/citations.h"
#include "resources/library.h"

#include <string>
#include <string_view>
#include <vector>

namespace quarry::ask {

/// `prepared.permalink` filled in, every part percent-encoded (RFC 3986; '/' stays in a path);
/// empty when the resource has no permalinks, or this file is generated.
std::string permalink(const resources::Prepared& prepared, std::string_view path,
                      std::uint32_t start_line, std::uint32_t end_line);

/// An item of done.citations for each; `prepared` in the order of the collection's sources.
std::vector<std::string> citation_items(const std::vector<corpus::Citation>& citations,
                                        const std::vector<resources::Prepared>& prepared);

}  // namespace quarry::ask
