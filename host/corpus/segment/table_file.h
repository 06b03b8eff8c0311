#pragma once

#include "base/error.h"
#include "base/file.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace quarry::corpus {

/// The format of every table of a snapshot on disk: magic, byte order, checksum, then for each
/// array its length in bytes and its bytes, padded to 8. In the byte order of the machine; a table
/// of the other order is rejected.
class TableWriter {
 public:
  /// `kind` names the kind of table and its version; at most 8 bytes, such as "segment2".
  explicit TableWriter(std::string_view kind);

  template <class T>
  requires std::is_trivially_copyable_v<T>
  void append(std::span<const T> array) {
    append_bytes({reinterpret_cast<const char*>(array.data()), array.size_bytes()});
  }
  /// The bytes of the whole file.
  [[nodiscard]] std::string finish() &&;

 private:
  void append_bytes(std::string_view bytes);
  std::string bytes_;
};

/// A table for reading. Arrays are taken in the order they were appended.
class TableFile {
 public:
  /// Reads the table into memory, where it no longer changes. kInternal if the file is not a
  /// complete, undamaged table of this kind.
  static Result<TableFile> open(const std::filesystem::path& path, std::string_view kind);
  /// The same, but maps the file: a process that writes it changes the arrays at any time.
  static Result<TableFile> map(const std::filesystem::path& path, std::string_view kind);

  /// The next array. Valid as long as the table, also after a move. kInternal if there is none, or
  /// its length is not a multiple of T's.
  template <class T>
  requires std::is_trivially_copyable_v<T> &&(alignof(T) <= 8) Result<std::span<const T>> take() {
    auto bytes = take_bytes();
    if (!bytes) return std::move(bytes).error();
    if (bytes->size() % sizeof(T) != 0) return damaged("an array has a broken length");
    return std::span(reinterpret_cast<const T*>(bytes->data()), bytes->size() / sizeof(T));
  }
  /// The error for a table with inconsistent contents.
  [[nodiscard]] Error damaged(std::string_view how) const;

 private:
  [[nodiscard]] Status begin(std::string_view bytes, std::string_view kind);
  Result<std::string_view> take_bytes();
  std::filesystem::path path_;
  std::string copy_;
  MappedFile file_;
  std::string_view rest_;
};

/// Recomputes the checksum of a table's bytes in place. For tests that damage the bytes after it.
void seal_table(std::string& bytes);

}  // namespace quarry::corpus
