#pragma once

#include "base/error.h"
#include "corpus/segment/shared_by_file.h"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// The result of packing a file. Only kText files have text.
enum class FileKind : std::uint8_t {
  kText,        ///< packed, searchable
  kBinary,      ///< NUL or mostly not text
  kTooLarge,    ///< above PackLimits::file_bytes
  kUnreadable,  ///< the system refused to open or read it
  kLink,        ///< a symbolic link; never followed
  kSecret,      ///< text that contains a private key
};

/// Index of a file within one segment, in ascending order of path bytes.
using FileId = std::uint32_t;

/// One immutable set of packed files, memory-mapped: every text one after the other in one file,
/// with tables of paths and of line starts beside it. Several snapshots may share a segment (its
/// files are hard-linked). The layout on disk is described in format.md.
///
/// The tables are read into memory. The text is mapped; check() compares its blocks with their
/// digests before they are read. The bytes of a mapped file may still change at any time, but no
/// view ever extends beyond its text.
///
/// Thread-safe: everything is const. Views live as long as the segment.
class Segment {
 public:
  struct Tables;

  /// Opens the segment in `directory`. kInternal if a table is damaged: sizes, order and offsets
  /// are validated only here. `on_damage` (may be null) is called once, when a block of the text is
  /// first found damaged, on the thread that finds it. With `open_tables`, tables and text are
  /// those of an open segment whose text is the same file.
  static Result<std::shared_ptr<const Segment>> open(const std::filesystem::path& directory,
                                                     std::function<void()> on_damage = nullptr,
                                                     SharedByFile<Tables>* open_tables = nullptr);
  ~Segment();

  [[nodiscard]] FileId file_count() const;
  /// Path of a file relative to the root, separated by '/'; any bytes except NUL.
  [[nodiscard]] std::string_view path(FileId file) const;
  [[nodiscard]] FileKind kind(FileId file) const;
  /// Size of the original file in bytes, also of files without text.
  [[nodiscard]] std::uint64_t size(FileId file) const;

  /// The text of a file, UTF-8 (invalid bytes have been replaced); empty unless kText.
  [[nodiscard]] std::string_view text(FileId file) const;
  /// Number of lines; a last line without newline counts. 0 unless kText.
  [[nodiscard]] std::uint32_t line_count(FileId file) const;
  /// Line `number` (from 1) without its newline; empty beyond the end.
  [[nodiscard]] std::string_view line(FileId file, std::uint32_t number) const;
  /// Lines `first` to `last` as one view, without the newline of the last one.
  [[nodiscard]] std::string_view lines(FileId file, std::uint32_t first, std::uint32_t last) const;
  /// Number (from 1) of the line with byte `offset` of the file's text.
  [[nodiscard]] std::uint32_t line_of(FileId file, std::uint64_t offset) const;

  /// All texts in order of FileId. Exactly one '\0' follows each text, and no text contains one, so
  /// a pattern that cannot match NUL never matches across files.
  [[nodiscard]] std::string_view packed_text() const;
  /// The file whose text (or the NUL after it) contains byte `offset` of packed_text().
  [[nodiscard]] FileId file_at(std::uint64_t offset) const;
  /// Offset of text(file) in packed_text().
  [[nodiscard]] std::uint64_t offset_of(FileId file) const;

  /// Verifies that the text of a file is undamaged. Call it before reading text(); each block is
  /// compared once. kInternal, tag SnapshotDamaged, with the file's path.
  [[nodiscard]] Status check(FileId file) const;
  /// The same for every file; the error of the first damaged one.
  [[nodiscard]] Status check_all() const;
  /// True if the texts of files `first` to `last` are all undamaged.
  [[nodiscard]] bool is_sound(FileId first, FileId last) const;
  /// Verifies lines `first` to `last`, which must exist, at this moment. Call it after copying
  /// lines(), which may return nothing or other lines if the text is damaged.
  [[nodiscard]] Status recheck(FileId file, std::uint32_t first, std::uint32_t last) const;
  /// The same for the whole text of a file.
  [[nodiscard]] Status recheck(FileId file) const;
  /// Files found damaged so far, ascending.
  [[nodiscard]] std::vector<FileId> damaged_files() const;
  [[nodiscard]] bool is_damaged() const;

  /// Directory of this segment's tables and indexes.
  [[nodiscard]] const std::filesystem::path& directory() const;

  Segment(std::filesystem::path directory, std::shared_ptr<const Tables> tables,
          std::function<void()> on_damage);

 private:
  [[nodiscard]] bool report(bool sound) const;
  [[nodiscard]] Error damaged(FileId file) const;
  const std::filesystem::path directory_;
  const std::shared_ptr<const Tables> tables_;
  const std::function<void()> on_damage_;
  mutable std::atomic<bool> reported_ = false;
};

}  // namespace quarry::corpus
