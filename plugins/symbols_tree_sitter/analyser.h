/// An analyser of one language: quarry.symbols.draft/1 (<quarry/draft/symbols.h>).
#ifndef QUARRY_SYMBOLS_TREE_SITTER_ANALYSER_H
#define QUARRY_SYMBOLS_TREE_SITTER_ANALYSER_H

#include "symbols_tree_sitter/budget.h"
#include "symbols_tree_sitter/definition.h"
#include "symbols_tree_sitter/language.h"
#include "symbols_tree_sitter/parse.h"
#include "symbols_tree_sitter/query.h"

#include <quarry/host.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::symbols_tree_sitter {

/// Immutable: any thread.
class Analyser {
 public:
  static Outcome<std::unique_ptr<Analyser>> create(const Language& language, Limits limits = {});

  [[nodiscard]] std::string describe() const;
  [[nodiscard]] Outcome<std::string> definitions(const Call& call, std::string_view text) const;
  [[nodiscard]] Outcome<std::string> references(const Call& call, std::string_view text,
                                                std::string_view name) const;

 private:
  using Work = std::function<Outcome<std::string>(const Budget&)>;

  [[nodiscard]] Outcome<std::string> within_limits(const Call& call, const Work& work) const;
  Analyser(const Language& language, Query query, Limits limits)
      : language_(language), query_(std::move(query)), limits_(limits) {}
  [[nodiscard]] Outcome<std::vector<Definition>> find(const Budget& budget, const Tree& tree,
                                                      std::string_view text) const;

  Language language_;
  Query query_;
  Limits limits_;
};

}  // namespace quarry::symbols_tree_sitter

#endif
