#pragma once

#include "base/error.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// What became of a file when it was packed. Only kText files have text.
enum class FileKind : std::uint8_t {
  kText,        ///< packed, searchable
  kBinary,      ///< NUL or mostly not text
  kTooLarge,    ///< above PackLimits::file_bytes
  kUnreadable,  ///< the system refused
  kLink,        ///< a symbolic link; never followed
  kSecret,      ///< text that holds a private key
};

/// Index of a file within one segment, in ascending order of path bytes.
using FileId = std::uint32_t;

/// One immutable set of packed files, memory-mapped: every text one after the other in one file,
/// with tables of paths and of line starts beside it. Several snapshots may share a segment (its
/// files are hard-linked). The layout on disk is described in format.md.
///
/// The tables are read into memory; the text is mapped, and its blocks are compared with their
/// digests by check(), before they are read. The bytes of a mapped file may change at any time all
/// the same: no view reaches beyond its text for that.
///
/// Thread-safe: everything is const. Views live as long as the segment.
class Segment {
 public:
  /// Opens the segment in `directory`. kInternal with a sentence when a table is damaged: sizes,
  /// order and offsets are checked here, once, so that nothing else has to. `on_damage`, if any, is
  /// called once, when a block of the text is first found damaged, on the thread that finds it.
  static Result<std::shared_ptr<const Segment>> open(const std::filesystem::path& directory,
                                                     std::function<void()> on_damage = nullptr);
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
  /// Lines `first` to `last` and what stands between them, without the newline of the last one.
  [[nodiscard]] std::string_view lines(FileId file, std::uint32_t first, std::uint32_t last) const;
  /// The line (from 1) that byte `offset` of the file's text lies on.
  [[nodiscard]] std::uint32_t line_of(FileId file, std::uint64_t offset) const;

  /// All texts in order of FileId. Exactly one '\0' follows each text, and none stands inside one,
  /// so a pattern that cannot match NUL never matches across files.
  [[nodiscard]] std::string_view packed_text() const;
  /// The file whose text (or the NUL after it) holds byte `offset` of packed_text().
  [[nodiscard]] FileId file_at(std::uint64_t offset) const;
  /// Where text(file) starts in packed_text().
  [[nodiscard]] std::uint64_t offset_of(FileId file) const;

  /// Whether the text of a file is what was written. To be asked before text() is read; each block
  /// is compared once. kInternal, tag SnapshotDamaged, with the file's path.
  [[nodiscard]] Status check(FileId file) const;
  /// The same of every file: the first that is damaged.
  [[nodiscard]] Status check_all() const;
  /// Whether files `first` to `last`, which stand together, are all sound.
  [[nodiscard]] bool is_sound(FileId first, FileId last) const;
  /// Whether lines `first` to `last`, which there are, are sound at this moment. To be asked after
  /// lines() was copied: what lines() makes of a damaged text may be empty, or other lines.
  [[nodiscard]] Status recheck(FileId file, std::uint32_t first, std::uint32_t last) const;
  /// Files found to be damaged so far, ascending.
  [[nodiscard]] std::vector<FileId> damaged_files() const;
  [[nodiscard]] bool is_damaged() const;

  /// Where this segment's tables lie; its indexes are files beside them.
  [[nodiscard]] const std::filesystem::path& directory() const;

  struct Tables;
  explicit Segment(std::unique_ptr<Tables> tables);

 private:
  [[nodiscard]] bool note(bool sound) const;
  [[nodiscard]] Error damaged(FileId file) const;
  std::unique_ptr<Tables> tables_;
};

}  // namespace quarry::corpus
