#pragma once

#include "corpus/query/inline_quotations.h"
#include "corpus/query/quotation.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::corpus {

// The citations and quotations in the text of an answer, before they are checked.

/// One place as written in the answer: name:path#L10-L20.
struct WrittenPlace {
  std::string resource;
  std::string path;
  std::optional<std::uint32_t> start_line;  ///< empty = the whole file
  std::optional<std::uint32_t> end_line;
};

/// One pair of brackets that contains only places.
struct WrittenCitation {
  std::vector<WrittenPlace> places;
  std::vector<std::size_t> quotations;  ///< indexes of quotations that may belong to it
};

/// Citations with nothing but punctuation between them, and what their sentence quotes.
struct CitationGroup {
  std::vector<WrittenCitation> citations;
  std::vector<InlineQuotation> inline_quotations;  ///< each stands in one of the places, if at all
};

struct WrittenCitations {
  std::vector<CitationGroup> groups;  ///< in order of appearance
  std::vector<Quotation> quotations;  ///< the fenced blocks, and the "> " lines without their marks
};

/// The citations of `answer`. Fenced code is not searched. A quotation may belong to a citation
/// that is within the quotation, ends the line before it or begins the line after it. Time is
/// linear in the answer.
WrittenCitations find_citations(std::string_view answer);

/// The places in the text between one pair of brackets; empty if it is anything else.
std::vector<WrittenPlace> parse_places(std::string_view text);

}  // namespace quarry::corpus
