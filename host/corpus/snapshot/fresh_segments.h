#pragma once

#include "base/error.h"
#include "corpus/segment/segment_writer.h"
#include "corpus/snapshot/snapshot.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// Writes the new files of a snapshot into segments of bounded size, so that the memory for
/// building an index does not grow with the tree, and an edit never rewrites all of a large one.
/// Not thread-safe.
class FreshSegments {
 public:
  /// For the snapshot in `directory`, with numbers after those of `previous` (may be null). A
  /// segment ends with the file that takes its text to `segment_bytes`.
  FreshSegments(std::filesystem::path directory, const Snapshot* previous,
                std::uint64_t segment_bytes);

  /// Begins a segment, unless one is being written. add() does so as well.
  Status begin();
  /// See SegmentWriter::add().
  Status add(std::string_view path, FileKind kind, std::uint64_t size, std::string_view text,
             LineTable lines);
  /// Ends the last segment, if there is one.
  Status finish();

  /// The segments that have ended, in order of their numbers.
  [[nodiscard]] std::span<const std::shared_ptr<const Segment>> segments() const { return ended_; }
  /// Number of segments()[i] (see segment_directory()).
  [[nodiscard]] std::uint32_t number(std::size_t i) const {
    return first_number_ + static_cast<std::uint32_t>(i);
  }

 private:
  std::filesystem::path directory_;
  std::uint32_t first_number_;
  std::uint64_t segment_bytes_;
  std::optional<SegmentWriter> writer_;
  std::uint64_t written_ = 0;  // text of writer_
  std::vector<std::shared_ptr<const Segment>> ended_;
};

}  // namespace quarry::corpus
