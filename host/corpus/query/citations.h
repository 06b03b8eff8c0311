#pragma once

#include "corpus/query/collection.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// A place of the form [name:path#L10-L20] in an answer, checked against the collection.
struct Citation {
  std::string resource;
  std::string path;
  std::uint32_t start_line;
  std::uint32_t end_line;
  std::size_t source;  ///< index into Collection::sources(); meaningless unless `verified`
  bool verified;       ///< the resource is selected, the file exists, the lines exist and are
                       ///< undamaged and contain the text quoted beside it, if any
};

/// Every citation in `answer` in order of appearance, each distinct place once. Also understands
/// [name:path#L10], [name:path] (whole file), a percent-encoded path, and several places in one
/// pair of brackets separated by ", ". A quotation that belongs to a citation is a fenced code
/// block or a "> " quote directly before or after it; white space is ignored.
std::vector<Citation> check_citations(const Collection& collection, std::string_view answer);

}  // namespace quarry::corpus
