#pragma once

#include "base/error.h"
#include "base/executor.h"
#include "corpus/segment/segment.h"

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace quarry::corpus {

/// The files of a segment that contain each three consecutive bytes (ASCII letters lower-cased).
/// Memory-mapped and immutable; thread-safe.
class TrigramIndex {
 public:
  /// Segments with less text get no index, because scanning them is faster.
  static constexpr std::uint64_t kMinimumText = 4u << 20;

  static constexpr const char* kFileName = "trigrams";

  /// Writes the index of `segment` to `out` (a file that does not exist). kCancelled.
  static Status build(const Segment& segment, const std::filesystem::path& out, Executor& executor,
                      std::stop_token stop);
  static Result<std::shared_ptr<const TrigramIndex>> open(const std::filesystem::path& file,
                                                          const Segment& segment);
  virtual ~TrigramIndex() = default;

  /// True if a requested list was damaged; such a list excludes no file.
  [[nodiscard]] virtual bool is_damaged() const = 0;

  /// Files that may contain `literal`, ascending: those with its trigrams, as far as reading
  /// further lists is worthwhile. All files if it has fewer than 3 consecutive ASCII bytes. Never
  /// misses a file that contains the literal in any ASCII case.
  [[nodiscard]] virtual std::vector<FileId> candidates(std::string_view literal) const = 0;

  /// Files with a letter beyond ASCII that case folding equates with an ASCII letter, ascending.
  /// They may contain any literal in such a spelling.
  [[nodiscard]] virtual std::vector<FileId> folding_files() const = 0;
};

}  // namespace quarry::corpus
