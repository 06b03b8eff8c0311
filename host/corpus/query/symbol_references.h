#pragma once

#include "base/error.h"
#include "base/executor.h"
#include "corpus/query/collection.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace quarry::corpus {

class SymbolAnalyser;

struct ReferenceQuery {
  std::string name;        ///< one word
  std::string path = {};   ///< of a file or directory; "" = everywhere
  std::uint32_t from = 0;  ///< position in the lines of all files at the path, in order
  std::uint32_t limit = 100;
};

/// A line on which the name is used.
struct FoundReference {
  std::size_t source;  ///< index into Collection::sources()
  FileRef file;
  std::uint32_t line;
  std::uint32_t position;  ///< ReferenceQuery::from that begins with it
};

struct ReferenceResult {
  std::vector<FoundReference> found;  ///< in order of source, path and line
  std::optional<std::uint32_t> next;  ///< position to go on from; nullopt at the end
  std::size_t other_files = 0;        ///< with the word, but of no language that is analysed
  std::string failure;                ///< why a file could not be read; "" = all could
};

/// Most files that one call has analysed.
inline constexpr std::size_t kMostReferenceFiles = 200;

/// The lines on which a name is used, other than in its definitions. Only files that contain the
/// word are analysed, and only as many as the limit needs. kNotFound, kInvalidArgument for a bad
/// path; kCancelled. Blocks; meant for a worker.
Result<ReferenceResult> find_references(const Collection& collection, const ReferenceQuery& query,
                                        SymbolAnalyser& analyser, Executor& executor,
                                        const std::stop_token& stop);

}  // namespace quarry::corpus
