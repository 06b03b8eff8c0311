#pragma once

#include "base/error.h"
#include "base/executor.h"
#include "corpus/segment.h"

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace quarry::corpus {

/// Which files of a segment contain which three bytes in a row (ASCII letters lower-cased).
/// Memory-mapped and immutable; thread-safe.
class TrigramIndex {
 public:
  /// Segments with less text than this are scanned faster than looked up, and get no index.
  static constexpr std::uint64_t kMinimumText = 4u << 20;

  static constexpr const char* kFileName = "trigrams";

  /// Writes the index of `segment` to `out` (a file that does not exist). kCancelled.
  static Status build(const Segment& segment, const std::filesystem::path& out, Executor& executor,
                      std::stop_token stop);
  static Result<std::shared_ptr<const TrigramIndex>> open(const std::filesystem::path& file,
                                                          const Segment& segment);
  virtual ~TrigramIndex() = default;

  /// Whether a list that was asked for turned out to be damaged; it narrowed nothing then.
  [[nodiscard]] virtual bool is_damaged() const = 0;

  /// Files that may contain `literal`, ascending: those that have its trigrams, as far as looking
  /// further pays. All files when it has fewer than 3 ASCII bytes in a row. Never misses a file
  /// that holds the literal in any ASCII case.
  [[nodiscard]] virtual std::vector<FileId> candidates(std::string_view literal) const = 0;

  /// Files with a letter that is an ASCII letter in another case though it is not ASCII itself,
  /// ascending. They may hold any literal in such a spelling.
  [[nodiscard]] virtual std::vector<FileId> folding_files() const = 0;
};

}  // namespace quarry::corpus
