#pragma once

#include "base/error.h"
#include "base/executor.h"
#include "corpus/segment/segment.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string_view>
#include <vector>

namespace quarry::corpus {

class WordTable;

/// The index of ranked search: the passages of a segment that contain each word. A passage is a run
/// of lines of one file that belong together (a function, a section under a heading). Memory-mapped
/// and immutable; thread-safe.
class WordIndex {
 public:
  static constexpr const char* kFileName = "words";

  /// Writes the index of `segment` to `out` (a file that does not exist). kCancelled.
  static Status build(const Segment& segment, const std::filesystem::path& out, Executor& executor,
                      std::stop_token stop);
  static Result<std::shared_ptr<const WordIndex>> open(const std::filesystem::path& file,
                                                       const Segment& segment);
  virtual ~WordIndex() = default;

  /// True if requested postings were damaged, so that results are incomplete.
  [[nodiscard]] bool is_damaged() const;

  /// The index's tables, valid as long as the index.
  [[nodiscard]] virtual const WordTable& table() const = 0;
};

}  // namespace quarry::corpus
