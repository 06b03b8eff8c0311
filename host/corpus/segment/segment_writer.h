#pragma once

#include "base/error.h"
#include "base/file.h"
#include "corpus/segment/segment.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// Number of lines of a text, and the start of every 64th.
struct LineTable {
  std::uint32_t count = 0;
  std::vector<std::uint32_t> marks;
};
LineTable line_table(std::string_view text);

/// Writes one segment. Files may be added in any order; ascending order of path saves a second copy
/// of the text. Not thread-safe.
class SegmentWriter {
 public:
  /// Creates `directory` and begins a segment in it.
  static Result<SegmentWriter> create(const std::filesystem::path& directory);

  /// Adds a file. `path` must be unique; `text` is UTF-8 without NUL, shorter than 4 GiB, and
  /// empty unless kText. `size` is that of the original.
  Status add(std::string_view path, FileKind kind, std::uint64_t size, std::string_view text,
             LineTable lines);
  Status add(std::string_view path, FileKind kind, std::uint64_t size, std::string_view text) {
    return add(path, kind, size, text, line_table(text));
  }
  /// Writes the tables, syncs everything and opens the result.
  Result<std::shared_ptr<const Segment>> finish() &&;

 private:
  struct Record {
    std::string path;
    FileKind kind;
    std::uint64_t size;
    std::uint64_t start;
    std::uint64_t bytes;
    LineTable lines;
  };

  SegmentWriter() = default;
  Status write_text(std::string_view text);
  Status flush();
  Status write_out(std::size_t bytes);
  Status put_in_order();
  Status write_tables() const;

  std::filesystem::path directory_;
  Fd text_;
  std::string buffer_;
  std::uint64_t written_ = 0;  // a multiple of the block size until the last flush
  std::vector<std::uint64_t> digests_;
  std::vector<Record> records_;
};

}  // namespace quarry::corpus
