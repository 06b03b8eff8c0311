#pragma once

#include "corpus/query/quotation.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// Text in backquotes or quotation marks in the sentence of a citation.
struct InlineQuotation {
  std::string text;
  QuotationKind kind;  ///< kCode or kProse
  bool name;      ///< one name or at most two words, which the sentence may mention without quoting
  bool adjacent;  ///< nothing but punctuation and a preposition is between it and the citation
  bool bare_number = false;  ///< a value without marks, see last_bare_number()
};

/// Other citations in the line of a citation.
struct LineNeighbours {
  bool before = false;
  bool after = false;
};

/// The quotations that belong to a citation with the text `before` it, back to the beginning of its
/// line or the citation before, and the text `after` it, up to the next one or the end of the line:
/// those in the sentence that the citation ends or follows; otherwise one that directly follows the
/// citation, else the first one in the rest of its sentence, else the last one of the sentence
/// before, unless they are another citation's. A bare number near the citation is one, too. At most
/// 17, those nearest to the citation.
[[nodiscard]] std::vector<InlineQuotation> find_inline_quotations(std::string_view before,
                                                                  std::string_view after,
                                                                  LineNeighbours others = {});

/// True for text with punctuation alone, such as may be between a citation and its quotation.
[[nodiscard]] bool is_punctuation(std::string_view text);

}  // namespace quarry::corpus
