#pragma once

#include "corpus/index/symbol_analyser.h"
#include "corpus/query/collection.h"
#include "corpus/text/passages.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace quarry::corpus {

class WordIndex;

/// The headings of lines of one file for display. In a file whose definitions are in the symbol
/// index, that of a line is the kind and qualified name of the innermost definition around it,
/// "method Parser.parse". In any other it is that of the line's passage, as search shows it.
class LineHeadings {
 public:
  /// Reads what is known of the file. `source` must outlive it.
  LineHeadings(const Source& source, FileRef file);

  /// The heading of a line (from 1); empty if it has none or the text is damaged.
  [[nodiscard]] std::string of(std::uint32_t line) const;

 private:
  [[nodiscard]] std::string definition_around(std::uint32_t line) const;
  [[nodiscard]] std::string indexed_passage(std::uint32_t line) const;
  [[nodiscard]] std::string cut_passage(std::uint32_t line) const;

  const Segment& segment_;
  FileId file_;
  std::optional<std::vector<SymbolDefinition>> definitions_;  // if they are in the index
  std::shared_ptr<const WordIndex> words_;                    // null until it is built
  std::vector<PassageSpan> spans_;                            // without either index
};

}  // namespace quarry::corpus
