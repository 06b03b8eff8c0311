#pragma once

#include "corpus/index/symbol_analyser.h"
#include "corpus/scip/scip_index.h"

#include <memory>
#include <utility>

namespace quarry::corpus {

/// Adds to what an analyser finds in the files of a source what the index that came with the source
/// tells of them. An occurrence counts only where its name stands in the text, and a document of
/// which more than a tenth of the definitions stand elsewhere is out of date and not used.
class ScipAnalyser final : public SymbolAnalyser {
 public:
  /// `index` may be null: then all is as with `others`, which must outlive this.
  ScipAnalyser(std::shared_ptr<const ScipIndex> index, SymbolAnalyser& others)
      : index_(std::move(index)), others_(others) {}

  [[nodiscard]] std::string reader_of(std::string_view path,
                                      std::string_view first_line) const override;
  Result<std::vector<SymbolDefinition>> definitions(std::string_view path, std::string_view text,
                                                    std::stop_token stop) override;
  Result<std::vector<std::uint32_t>> references(std::string_view path, std::string_view text,
                                                std::string_view name,
                                                std::stop_token stop) override;

 private:
  const std::shared_ptr<const ScipIndex> index_;
  SymbolAnalyser& others_;
};

}  // namespace quarry::corpus
