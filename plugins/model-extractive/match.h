#pragma once

#include "model-extractive/question.h"

#include <cstdint>
#include <string_view>

namespace quarry::extractive {

/// The terms of a question that a text has, a bit for each: by their own word, or by a synonym.
struct Match {
  std::uint64_t own = 0;
  std::uint64_t other = 0;

  Match& operator|=(const Match& match) {
    own |= match.own;
    other |= match.other;
    return *this;
  }
  [[nodiscard]] bool any() const { return (own | other) != 0; }
};

/// The terms that `text` has.
[[nodiscard]] Match matched(std::string_view text, const Question& question);

/// The share in [0, 1] of the question's weight that `match` has; a synonym counts less.
[[nodiscard]] double coverage(const Match& match, const Question& question);

}  // namespace quarry::extractive
