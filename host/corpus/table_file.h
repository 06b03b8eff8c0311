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

/// Plain arrays one after the other, as every table of a snapshot is kept on disk: magic, checksum,
/// then per array its length in bytes and its bytes, padded to 8. In the byte order of the machine;
/// the magic says so, and a table of the other order is refused.
class TableWriter {
 public:
  /// `kind` names what the table is and its version; at most 8 bytes, such as "segment2".
  explicit TableWriter(std::string_view kind);

  template <class T>
  requires std::is_trivially_copyable_v<T>
  void append(std::span<const T> array) {
    append_bytes({reinterpret_cast<const char*>(array.data()), array.size_bytes()});
  }
  /// The whole file.
  [[nodiscard]] std::string finish() &&;

 private:
  void append_bytes(std::string_view bytes);
  std::string bytes_;
};

/// A table for reading. Arrays are taken in the order they were appended.
class TableFile {
 public:
  /// Reads the table into memory, where nothing changes it any more. kInternal when the file is not
  /// a whole, undamaged table of this kind.
  static Result<TableFile> open(const std::filesystem::path& path, std::string_view kind);
  /// The same, but maps it: whoever writes the file changes what was taken, at any time.
  static Result<TableFile> map(const std::filesystem::path& path, std::string_view kind);

  /// The next array. It lives as long as the table (moving it keeps it). kInternal when there is
  /// none, or when its length is no multiple of T's.
  template <class T>
  requires std::is_trivially_copyable_v<T> &&(alignof(T) <= 8) Result<std::span<const T>> take() {
    auto bytes = take_bytes();
    if (!bytes) return std::move(bytes).error();
    if (bytes->size() % sizeof(T) != 0) return damaged("an array has a broken length");
    return std::span(reinterpret_cast<const T*>(bytes->data()), bytes->size() / sizeof(T));
  }
  /// The error for a table whose contents do not fit together.
  [[nodiscard]] Error damaged(std::string_view how) const;

 private:
  [[nodiscard]] Status begin(std::string_view bytes, std::string_view kind);
  Result<std::string_view> take_bytes();
  std::filesystem::path path_;
  std::string copy_;
  MappedFile file_;
  std::string_view rest_;
};

/// Recomputes the checksum of a table's bytes in place. For tests that damage what lies behind it.
void seal_table(std::string& bytes);

}  // namespace quarry::corpus
