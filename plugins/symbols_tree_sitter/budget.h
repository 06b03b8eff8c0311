/// The work that one call may do.
#ifndef QUARRY_SYMBOLS_TREE_SITTER_BUDGET_H
#define QUARRY_SYMBOLS_TREE_SITTER_BUDGET_H

#include <quarry/host.hpp>

#include <chrono>
#include <cstddef>

namespace quarry::symbols_tree_sitter {

struct Limits {
  std::size_t text = std::size_t{4} << 20U;      ///< bytes; a tree needs some 40 times its text
  std::chrono::milliseconds time{10'000};        ///< of the processor
  std::size_t memory = std::size_t{512} << 20U;  ///< bytes of parsers and trees
};

/// Of the thread that constructs it.
class Budget {
 public:
  Budget(const Call& call, const Limits& limits);

  /// True once the call is over or has used its time.
  [[nodiscard]] bool over() const;
  /// The failure to return when over() is true.
  [[nodiscard]] Failure why() const;
  /// The failure for a text beyond the limit.
  [[nodiscard]] Failure too_large(std::size_t size) const;
  /// The failure for a text that needs more memory than the limit.
  [[nodiscard]] Failure out_of_memory() const;
  [[nodiscard]] std::size_t text_limit() const { return limits_.text; }

 private:
  const Call& call_;
  Limits limits_;
  std::chrono::nanoseconds end_;  ///< on the thread's clock
};

}  // namespace quarry::symbols_tree_sitter

#endif
