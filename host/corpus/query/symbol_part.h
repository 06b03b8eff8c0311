#pragma once

#include "base/error.h"
#include "corpus/index/symbol_index.h"
#include "corpus/query/collection.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// A segment in which definitions are looked for.
struct SymbolPart {
  std::size_t source;  ///< index into Collection::sources()
  const Snapshot* snapshot;
  std::uint32_t segment;
  std::shared_ptr<const SymbolIndex> index;  ///< null until it is built
  std::string path;                          ///< of a file or directory within the source

  [[nodiscard]] const Segment& files() const { return *snapshot->segments()[segment]; }
  /// True for a live file at or beneath the path.
  [[nodiscard]] bool admits(FileId file) const;
};

/// The segments with files at or beneath `path` ("" = everywhere). The collection must outlive
/// them. kNotFound, kInvalidArgument for a path that does not exist.
Result<std::vector<SymbolPart>> symbol_parts(const Collection& collection, std::string_view path);

/// The names of what encloses a definition, innermost first; fewer if the index is damaged.
[[nodiscard]] std::vector<std::string_view> parents_of(const SymbolIndex& index,
                                                       SymbolId definition);

/// A name with those of what encloses it, "Parser.parse".
[[nodiscard]] std::string qualified_name(const std::vector<std::string_view>& parents,
                                         std::string_view name);

}  // namespace quarry::corpus
