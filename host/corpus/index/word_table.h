#pragma once

#include "base/error.h"
#include "corpus/index/word_bytes.h"
#include "corpus/segment/segment.h"
#include "corpus/segment/table_file.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace quarry::corpus {

/// Number of a passage within one table; passages of one file follow each other.
using PassageId = std::uint32_t;

/// First byte of terms that are not plain words: a name that a passage defines (folded, or its
/// stems joined), and a word of a file's path (posted once, at the file's first passage).
inline constexpr char kDefinedTerm = '=';
inline constexpr char kDefinedStem = '~';
inline constexpr char kPathTerm = '/';

// The arrays of a table are described in format.md.

inline constexpr std::string_view kWordTable = "words4";

/// What was indexed, compared so that an index is never used for another segment, and its size.
struct WordShape {
  std::uint64_t files;
  std::uint64_t text_bytes;  ///< of all files
  std::uint64_t passages;
  std::uint64_t total_length;  ///< terms of all passages

  friend bool operator==(const WordShape&, const WordShape&) = default;
};

/// Offsets of a block of terms and of its postings.
struct WordBlock {
  std::uint64_t dictionary;
  std::uint64_t postings;
};

inline constexpr std::size_t kTermsPerBlock = 16;

/// The postings of one term.
struct TermPostings {
  std::uint32_t passages = 0;
  std::uint32_t files = 0;
  std::string_view bytes;
};

/// Iterates over the passages of a term in ascending order. Ends at damaged bytes.
class PostingCursor {
 public:
  PostingCursor(std::string_view bytes, PassageId limit) : reader_(bytes), limit_(limit) {}

  bool next() {
    if (reader_.at_end()) return false;
    const std::uint64_t code = reader_.varint();
    const std::uint64_t passage = next_ + (code >> 1);
    count_ = (code & 1) != 0 ? reader_.byte() : std::uint8_t{1};
    if (passage >= limit_ || !reader_.ok()) return false;
    passage_ = static_cast<PassageId>(passage);
    next_ = passage + 1;
    return true;
  }
  [[nodiscard]] PassageId passage() const { return passage_; }
  [[nodiscard]] std::uint8_t count() const { return count_; }

 private:
  ByteReader reader_;
  std::uint64_t limit_;
  std::uint64_t next_ = 0;
  PassageId passage_ = 0;
  std::uint8_t count_ = 0;
};

/// Passages [begin, end); never begin > end.
struct PassageRange {
  PassageId begin;
  PassageId end;
};

/// An index of passages by word. Columns that ranking reads for every passage are verified when it
/// is opened, all else as it is read. Cheap to copy; copies share the table. Thread-safe.
class WordTable {
 public:
  /// Nothing is indexed.
  WordTable() = default;
  /// kInternal with the reason if the table is damaged.
  static Result<WordTable> open(TableFile table);
  /// The same for the bytes of a table, which must outlive it.
  static Result<WordTable> open(std::string_view bytes);

  /// True if what was requested was damaged, so that results are incomplete.
  [[nodiscard]] bool is_damaged() const { return table_->is_damaged(); }
  [[nodiscard]] Error damaged(std::string_view how) const { return table_->damaged(how); }

  [[nodiscard]] const WordShape& shape() const { return shape_; }
  [[nodiscard]] FileId file_count() const { return static_cast<FileId>(shape_.files); }
  [[nodiscard]] PassageId passage_count() const { return static_cast<PassageId>(shape_.passages); }
  [[nodiscard]] std::uint64_t total_length() const { return shape_.total_length; }

  // Of a passage below passage_count(). Offsets and lines of a damaged table may be any.
  [[nodiscard]] FileId file_of(PassageId p) const {
    return std::min(passage_file_[p], file_count() - 1);
  }
  [[nodiscard]] std::uint32_t offset(PassageId p) const { return passage_offset_[p]; }
  [[nodiscard]] std::uint32_t line(PassageId p) const { return passage_line_[p]; }
  [[nodiscard]] std::uint32_t heading(PassageId p) const { return passage_heading_[p]; }
  [[nodiscard]] std::uint32_t context(PassageId p) const { return passage_context_[p]; }
  [[nodiscard]] std::uint32_t length(PassageId p) const { return passage_length_[p]; }

  // Of a file below file_count().
  [[nodiscard]] PassageRange passages_of(FileId file) const;
  [[nodiscard]] std::uint32_t file_length(FileId file) const { return file_length_[file]; }
  [[nodiscard]] std::uint8_t traits(FileId file) const { return file_traits_[file]; }

  /// The postings of `term`; none if it does not occur.
  [[nodiscard]] TermPostings find(std::string_view term) const;
  [[nodiscard]] PostingCursor walk(const TermPostings& postings) const {
    return {postings.bytes, passage_count()};
  }

 private:
  Status take_arrays();
  [[nodiscard]] bool sizes_fit() const;
  [[nodiscard]] std::string_view block(std::size_t index) const;

  std::shared_ptr<TableFile> table_;
  WordShape shape_{};
  // Read for every passage with a word, so verified when the table is opened.
  std::span<const std::uint32_t> passage_file_;
  std::span<const std::uint16_t> passage_length_;
  std::span<const std::uint32_t> file_first_, file_length_;
  std::span<const std::uint8_t> file_traits_;
  CheckedArray<std::uint32_t> passage_offset_, passage_line_, passage_heading_, passage_context_;
  CheckedArray<WordBlock> blocks_;
  CheckedArray<char> dictionary_, postings_;
};

}  // namespace quarry::corpus
