#pragma once

#include "corpus/index/trigram_index.h"
#include "corpus/text/literal_finder.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace re2 {
class FilteredRE2;
}

namespace quarry::corpus {

/// The literals ("atoms", lower case) that a match must contain according to RE2: a monotone
/// formula of "and" and "or", which RE2 evaluates for a set of atoms.
class RequiredLiterals {
 public:
  /// `filter` contains one expression, is compiled, and must outlive this object; `atoms` is the
  /// result of compiling it.
  RequiredLiterals(const re2::FilteredRE2& filter, std::vector<std::string> atoms)
      : filter_(&filter), atoms_(std::move(atoms)) {}

  // With `folds`, atoms may also be spelt with kKelvin and kLongS, which case folding equates with
  // ASCII letters.

  /// A few literals, at least one of which every matching line contains, in any ASCII case; empty
  /// if none are worth searching for.
  [[nodiscard]] std::vector<LiteralFinder> one_of(bool folds) const;

  /// The files, out of `files`, that may satisfy the formula according to the index; nullopt if
  /// every file does.
  [[nodiscard]] std::optional<std::vector<bool>> candidates(const TrigramIndex& index, FileId files,
                                                            bool folds) const;

 private:
  [[nodiscard]] bool may_match(const std::vector<int>& atoms) const;

  const re2::FilteredRE2* filter_;
  std::vector<std::string> atoms_;
};

}  // namespace quarry::corpus
