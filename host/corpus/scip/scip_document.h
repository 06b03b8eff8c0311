#pragma once

#include "base/error.h"

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// The unit in which a document counts the characters of a line.
enum class ScipEncoding { kUnspecified = 0, kUtf8 = 1, kUtf16 = 2, kUtf32 = 3 };

/// A symbol at a place within one line. Lines are numbered from 1, characters from 0.
struct ScipOccurrence {
  std::string_view symbol;
  std::uint32_t line;
  std::uint32_t begin;
  std::uint32_t end;
  bool is_definition;
  std::uint32_t first_line;  ///< of the whole definition, with its comments; 0 = not told
  std::uint32_t last_line;
};

/// One document of an index, whose bytes must outlive it.
struct ScipDocument {
  std::vector<ScipOccurrence> occurrences;  ///< without those of several lines
  std::map<std::string_view, int> kinds;    ///< SymbolInformation.Kind by symbol
  ScipEncoding encoding = ScipEncoding::kUnspecified;

  /// kInternal for malformed bytes.
  static Result<ScipDocument> read(std::string_view bytes);
};

/// The path of a document, relative to the root; "" if it has none. kInternal for malformed bytes.
Result<std::string_view> scip_path(std::string_view document);

/// The documents of an index, in its order. kInternal for malformed bytes, and for more than a
/// million.
Result<std::vector<std::string_view>> scip_documents(std::string_view index);

/// The text of `line` from character `begin` to `end`; empty if the line is shorter or one of them
/// lies within a character. kUnspecified counts as kUtf8.
[[nodiscard]] std::string_view scip_text(std::string_view line, std::uint32_t begin,
                                         std::uint32_t end, ScipEncoding encoding);

}  // namespace quarry::corpus
