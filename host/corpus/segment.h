#pragma once

#include "base/error.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

namespace quarry::corpus {

/// What became of a file when it was packed. Only kText files have text.
enum class FileKind : std::uint8_t {
  kText,        ///< packed, searchable
  kBinary,      ///< NUL or mostly not text
  kTooLarge,    ///< above PackLimits::file_bytes
  kUnreadable,  ///< the system refused
  kLink,        ///< a symbolic link; never followed
};

/// Index of a file within one segment, in ascending order of path bytes.
using FileId = std::uint32_t;

/// One immutable set of packed files, memory-mapped: every text one after the other in one file,
/// with tables of paths and of line starts beside it. Several snapshots may share a segment (its
/// files are hard-linked). The layout on disk is described in format.md.
///
/// Thread-safe: everything is const. Views live as long as the segment.
class Segment {
 public:
  /// Maps the segment in `directory`. kInternal with a sentence when a table is damaged: sizes,
  /// order and offsets are checked here, once, so that nothing else has to.
  static Result<std::shared_ptr<const Segment>> open(const std::filesystem::path& directory);
  ~Segment();

  [[nodiscard]] FileId file_count() const;
  /// Path of a file, relative to the root, '/' between, any bytes but NUL.
  [[nodiscard]] std::string_view path(FileId file) const;
  [[nodiscard]] FileKind kind(FileId file) const;
  /// Size of the original file in bytes (also of files that were not packed).
  [[nodiscard]] std::uint64_t size(FileId file) const;

  /// The text of a file, UTF-8 (what was not UTF-8 has been replaced); empty unless kText.
  [[nodiscard]] std::string_view text(FileId file) const;
  /// Number of lines; a last line without newline counts. 0 unless kText.
  [[nodiscard]] std::uint32_t line_count(FileId file) const;
  /// Line `number` (from 1) without its newline; empty beyond the end.
  [[nodiscard]] std::string_view line(FileId file, std::uint32_t number) const;
  /// The line (from 1) that byte `offset` of the file's text lies on.
  [[nodiscard]] std::uint32_t line_of(FileId file, std::uint64_t offset) const;

  /// All texts in order of FileId. Exactly one '\0' follows each text, and none stands inside one,
  /// so a pattern that cannot match NUL never matches across files.
  [[nodiscard]] std::string_view packed_text() const;
  /// The file whose text (or the NUL after it) holds byte `offset` of packed_text().
  [[nodiscard]] FileId file_at(std::uint64_t offset) const;
  /// Where text(file) starts in packed_text().
  [[nodiscard]] std::uint64_t offset_of(FileId file) const;

  /// Where this segment's tables lie; its indexes are files beside them.
  [[nodiscard]] const std::filesystem::path& directory() const;

  struct Tables;
  explicit Segment(std::unique_ptr<Tables> tables);

 private:
  std::unique_ptr<Tables> tables_;
};

}  // namespace quarry::corpus
