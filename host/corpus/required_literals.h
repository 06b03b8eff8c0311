#pragma once

#include "corpus/literal_finder.h"
#include "corpus/trigram_index.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace re2 {
class FilteredRE2;
}

namespace quarry::corpus {

/// What RE2 knows about the literals ("atoms", lower case) that a match must contain: a monotone
/// formula of "and" and "or" over them, which it evaluates for a set of atoms.
class RequiredLiterals {
 public:
  /// `filter` holds one expression, is compiled, and outlives this; `atoms` are what compiling it
  /// returned.
  RequiredLiterals(const re2::FilteredRE2& filter, std::vector<std::string> atoms)
      : filter_(&filter), atoms_(std::move(atoms)) {}

  // With `folds`, atoms may also be spelt with kKelvin and kLongS, which are ASCII letters in
  // another case.

  /// A few literals of which every matching line has at least one, in any ASCII case; empty when
  /// there are none worth looking for.
  [[nodiscard]] std::vector<LiteralFinder> one_of(bool folds) const;

  /// Which of `files` files satisfy the formula, as far as the index knows; nullopt when every file
  /// would.
  [[nodiscard]] std::optional<std::vector<bool>> candidates(const TrigramIndex& index, FileId files,
                                                            bool folds) const;

 private:
  [[nodiscard]] bool may_match(const std::vector<int>& atoms) const;

  const re2::FilteredRE2* filter_;
  std::vector<std::string> atoms_;
};

}  // namespace quarry::corpus
