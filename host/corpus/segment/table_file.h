#pragma once

#include "base/error.h"
#include "base/file.h"
#include "corpus/segment/checked_array.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace quarry::corpus {

/// The format of every table of a snapshot on disk, described in format.md: arrays, then their
/// lengths and the digests of their blocks. In the byte order of the machine; a table of the other
/// order is rejected.
class TableWriter {
 public:
  /// `kind` names the kind of table and its version; at most 8 bytes, such as "segment4".
  explicit TableWriter(std::string_view kind);

  template <class T>
  requires std::is_trivially_copyable_v<T>
  void append(std::span<const T> array) {
    add_bytes({reinterpret_cast<const char*>(array.data()), array.size_bytes()});
    end_array();
  }
  /// Appends to the array that end_array() ends.
  void add_bytes(std::string_view bytes) { bytes_.append(bytes); }
  void end_array();
  /// Reserves space for `more` bytes, so that adding them never copies what is there.
  void reserve(std::size_t more) { bytes_.reserve(bytes_.size() + more); }
  /// The bytes of the whole file.
  [[nodiscard]] std::string finish() &&;

 private:
  std::string bytes_;
  std::vector<std::uint64_t> lengths_;
  std::size_t array_begin_;
};

/// A table for reading. Arrays are taken in the order they were appended, and valid as long as the
/// table, also after a move.
class TableFile {
 public:
  /// Reads the table into memory, where it no longer changes. kInternal if the file is not a
  /// complete, undamaged table of this kind.
  static Result<TableFile> open(const std::filesystem::path& path, std::string_view kind);
  /// Maps the file. Only the lengths and digests are in memory and verified: opening takes the same
  /// time whatever the size of its arrays, whose bytes may change at any time.
  static Result<TableFile> map(const std::filesystem::path& path, std::string_view kind);
  /// The same for a table in memory, which must outlive this.
  static Result<TableFile> view(std::string_view bytes, std::string_view kind);

  /// The next array, to be verified as it is read. kInternal if there is none, or its length is not
  /// a multiple of T's.
  template <class T>
  requires(alignof(T) <= 8) Result<CheckedArray<T>> take() {
    auto place = take_place(sizeof(T));
    if (!place) return std::move(place).error();
    return CheckedArray<T>(*checked_, place->begin, place->size / sizeof(T));
  }
  /// The next array, verified as a whole. kInternal also if it is damaged.
  template <class T>
  requires std::is_trivially_copyable_v<T> &&
      (alignof(T) <= 8) Result<std::span<const T>> take_whole() {
    auto place = take_place(sizeof(T));
    if (!place) return std::move(place).error();
    if (!checked_->check(place->begin, place->size)) return damaged("a block has another digest");
    return std::span(reinterpret_cast<const T*>(checked_->bytes().data() + place->begin),
                     place->size / sizeof(T));
  }
  // The same into `out`: take() for an array that is checked as it is read, take_whole() for a
  // span.
  template <class T>
  Status take_into(CheckedArray<T>& out) {
    auto array = take<T>();
    if (!array) return std::move(array).error();
    out = *array;
    return {};
  }
  template <class T>
  Status take_into(std::span<const T>& out) {
    auto array = take_whole<T>();
    if (!array) return std::move(array).error();
    out = *array;
    return {};
  }
  /// True if a block has been found damaged so far, or the mapped file has changed.
  [[nodiscard]] bool is_damaged() const { return checked_->is_damaged() || file_.has_changed(); }
  /// The error for a table with inconsistent contents.
  [[nodiscard]] Error damaged(std::string_view how) const;

 private:
  struct Place {
    std::size_t begin;
    std::size_t size;  // in bytes
  };
  [[nodiscard]] Status begin(std::string_view bytes, std::string_view kind);
  Result<Place> take_place(std::size_t width);

  std::filesystem::path path_;
  std::string copy_;
  MappedFile file_;
  std::vector<std::uint64_t> lengths_;
  std::size_t next_array_ = 0;
  std::size_t next_begin_ = 0;
  std::unique_ptr<const CheckedBytes> checked_;  // all arrays
};

/// Recomputes the digests of a table's bytes in place. For tests that damage its arrays.
void seal_table(std::string& bytes);

}  // namespace quarry::corpus
