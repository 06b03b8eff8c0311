#pragma once

#include "corpus/query/collection.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// A quotation beside a citation that does not stand in the cited lines.
struct Misquotation {
  std::string quoted;   ///< as the answer has it, cut after 200 bytes
  std::string nearest;  ///< what stands there in its place; empty if nothing is like it
  friend bool operator==(const Misquotation&, const Misquotation&) = default;
};

/// A place of the form [name:path#L10-L20] in an answer, checked against the collection.
struct Citation {
  std::string resource;
  std::string path;
  std::uint32_t start_line;
  std::uint32_t end_line;
  std::size_t source;  ///< index into Collection::sources(); meaningless unless `verified`
  bool verified;       ///< the resource is selected, the file exists, the lines exist and are
                       ///< undamaged and contain the text quoted beside it, if any
  std::optional<Misquotation> misquotation = {};  ///< the reason, if it is a quotation
};

/// Every citation in `answer` in order of appearance, each distinct place once; it is verified if
/// it is each time. Also understands [name:path#L10], [name:path] (whole file), a percent-encoded
/// path, and several places in one pair of brackets separated by ", ".
///
/// Of the fenced blocks and "> " quotes directly before and after a citation, one must stand in its
/// lines. What its sentence has in backquotes or quotation marks before it, else the first of these
/// after it, else the last of the sentence before, must stand in the lines of one of the citations
/// there; a name or one or two words only if adjacent to the citation, or if the lines have
/// something similar and the file does not have it; the citation's path always may. Compared as
/// Quotation does. A bare number near the citation must be among those of the lines, if these are
/// few and have any.
std::vector<Citation> check_citations(const Collection& collection, std::string_view answer);

}  // namespace quarry::corpus
