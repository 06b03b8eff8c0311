#pragma once

#include "base/error.h"
#include "base/file.h"
#include "corpus/index/vector_row.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace quarry::corpus {

/// A row with the digest of the text that was encoded, see passage_digests().
struct EncodedText {
  std::uint64_t text;
  VectorRow row;
};

/// A row as a file has it.
struct StoredRow {
  std::uint64_t text;
  std::uint32_t dimension;
  float scale;
  std::string_view values;  ///< valid during the visit
};
using VisitRow = std::function<void(const StoredRow&)>;

/// Name of the file of unfinished vectors beside the finished `vector_file`. It is not linked
/// into later snapshots, because it is appended to.
[[nodiscard]] std::string part_file_name(std::string_view vector_file);

/// Visits the rows of an unfinished file, whatever process writes it, without those of a batch
/// that was not written completely.
Status read_part(const std::filesystem::path& file, const VisitRow& visit);

/// Unfinished vectors, appended to a batch at a time, so that nothing is encoded twice when a
/// process ends. Locked against other processes; one thread at a time.
class VectorPart {
 public:
  /// Creates or continues `file` and visits the rows that it has. kUnavailable if another process
  /// has it open.
  static Result<VectorPart> open(const std::filesystem::path& file, const VisitRow& visit);

  /// Dimension of the rows; 0 as long as there are none.
  [[nodiscard]] std::uint32_t dimension() const { return dimension_; }
  /// Appends rows of `dimension`, which is that of the earlier ones.
  Status append(std::uint32_t dimension, std::span<const EncodedText> rows);

 private:
  VectorPart(Fd fd, FileLock lock) : fd_(std::move(fd)), lock_(std::move(lock)) {}
  Fd fd_;
  FileLock lock_;
  std::uint32_t dimension_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace quarry::corpus
