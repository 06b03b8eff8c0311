#pragma once

#include "corpus/query/class_run.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// Finds consecutive bytes of given classes in long texts, many positions at a time. Immutable,
/// thread-safe.
class ClassRunFinder {
 public:
  static constexpr std::size_t npos = std::string_view::npos;

  /// nullopt if `run` is empty, or on machines where this is no faster than an automaton.
  static std::optional<ClassRunFinder> make(const std::vector<ByteClass>& run);

  /// Position of the first run in `text` at or after `from`; npos if there is none.
  [[nodiscard]] std::size_t find(std::string_view text, std::size_t from) const;

  /// A class as two tables: the columns (high halves of a byte, one bit each) in which a row (its
  /// low half) belongs to it.
  struct Table {
    std::array<std::uint8_t, 16> columns{};
    std::uint8_t beyond = 0;  ///< 0x80 if bytes beyond ASCII belong to it

    explicit Table(const ByteClass& bytes);
    [[nodiscard]] bool holds(char byte) const;
  };

  /// Consecutive members of the run with the same class.
  struct Group {
    Table table;
    unsigned offset;  ///< of the first, in the run
    unsigned count;
  };

 private:
  explicit ClassRunFinder(std::span<const ByteClass> run);

  std::vector<Group> groups_;  // the rarest first
  std::size_t size_;           // of the run, bytes
};

}  // namespace quarry::corpus
