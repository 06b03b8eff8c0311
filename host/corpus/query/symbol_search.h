#pragma once

#include "base/error.h"
#include "base/executor.h"
#include "corpus/query/collection.h"
#include "corpus/query/symbol_name.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace quarry::corpus {

class SymbolAnalyser;

struct SymbolQuery {
  std::string name;       ///< see SymbolNames
  std::string kind = {};  ///< such as "method", in any case; "" = any
  std::string path = {};  ///< of a file or directory; "" = everywhere
  std::uint32_t skip = 0;
  std::uint32_t limit = 20;
};

/// A definition that was found.
struct FoundSymbol {
  std::size_t source;  ///< index into Collection::sources()
  FileRef file;
  std::string kind;
  std::string qualified;  ///< its name with those of what encloses it, "Parser.parse"
  std::uint32_t line;     ///< of the name
  std::uint32_t first_line;
  std::uint32_t last_line;
};

inline constexpr std::size_t kMostCountedKinds = 1000;

struct SymbolResult {
  std::vector<FoundSymbol> found;  ///< in order of source, path and line; without the skipped ones
  std::size_t total = 0;           ///< with the skipped ones and those beyond the limit
  SymbolMatch match = SymbolMatch::kExact;  ///< of all that were found
  std::size_t scanned_segments = 0;         ///< had no index, so that files were read instead
  bool is_bounded = false;                  ///< not all files of those segments were read
  std::string failure;  ///< why a file of those segments could not be read; "" = all could
  /// The number of definitions of each kind that have the name, if none is of the kind that was
  /// asked for; `match` is then of these. Not counted by kind are those beyond kMostCountedKinds.
  std::map<std::string, std::size_t> other_kinds = {};
  std::size_t uncounted = 0;
};

/// The definitions with a name: those that have it exactly; if none has, those that differ in case;
/// if none does, those that begin so. A segment without a symbol index is searched with
/// scan_symbols(). kInvalidArgument or kNotFound for a bad name or path, with "name: " or "path: ";
/// kCancelled. Blocks; meant for a worker.
Result<SymbolResult> find_definitions(const Collection& collection, const SymbolQuery& query,
                                      SymbolAnalyser& analyser, Executor& executor,
                                      const std::stop_token& stop);

}  // namespace quarry::corpus
