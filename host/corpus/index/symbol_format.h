#pragma once

#include "corpus/segment/segment.h"

#include <cstdint>
#include <string_view>

namespace quarry::corpus {

// The arrays of a symbol index are described in format.md.

inline constexpr std::string_view kSymbolTable = "symbols3";

/// The size of the indexed texts, compared so that an index is never used for another segment.
struct SymbolShape {
  std::uint64_t files;
  std::uint64_t text_bytes;

  friend bool operator==(const SymbolShape&, const SymbolShape&) = default;
};

/// One definition; those of a file follow each other.
struct SymbolRecord {
  std::uint32_t name;  ///< number in the sorted names
  std::uint32_t line;
  std::uint32_t first_line;
  std::uint32_t last_line;
  std::int32_t parent;        ///< number within the file, or -1
  std::uint32_t kind;         ///< number in the words
  std::uint64_t scope_words;  ///< the WordMask of all by which a scope of it is found
};

/// One file.
struct SymbolFileRecord {
  std::uint32_t first;   ///< its first definition
  std::uint32_t state;   ///< SymbolState
  std::uint32_t reader;  ///< number in the words
  std::uint32_t reason;  ///< number in the words
};

inline SymbolShape shape_of(const Segment& segment) {
  return {segment.file_count(), segment.packed_text().size()};
}

}  // namespace quarry::corpus
