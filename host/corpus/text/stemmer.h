#pragma once

#include <string>
#include <string_view>

namespace quarry::corpus {

/// Reduces `word` (lower-case ASCII) in place to a stem that its inflected and derived forms share:
/// parse, parser, parsing and parsed all become "pars". Words with other bytes are unchanged.
/// The stem need not be a word; it is only compared with other stems. [any thread]
void stem(std::string& word);

/// The stem of `word`.
[[nodiscard]] std::string stemmed(std::string_view word);

}  // namespace quarry::corpus
