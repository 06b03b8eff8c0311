#pragma once

#include "base/error.h"
#include "corpus/index/word_bytes.h"
#include "corpus/segment/checked_bytes.h"
#include "corpus/segment/segment.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace quarry::corpus {

/// Number of a passage within one table; passages of one file follow each other.
using PassageId = std::uint32_t;

/// First byte of terms that are not plain words: a name that a passage defines (folded, or its
/// stems joined), and a word of a file's path (posted once, at the file's first passage).
inline constexpr char kDefinedTerm = '=';
inline constexpr char kDefinedStem = '~';
inline constexpr char kPathTerm = '/';

/// The sections of a table's file, in their order.
enum class WordSection : std::size_t {
  kPassageFile,     ///< u32 a passage: its file
  kPassageOffset,   ///< u32 a passage: first byte in the file's text
  kPassageLine,     ///< u32 a passage: first line, from 1
  kPassageHeading,  ///< u32 a passage: byte offset of its heading, or kNowhere
  kPassageContext,  ///< u32 a passage: byte offset of the enclosing heading, or kNowhere
  kPassageLength,   ///< u16 a passage: number of terms
  kFileFirst,       ///< u32 a file and one more: its first passage
  kFileLength,      ///< u32 a file: number of terms
  kFileTraits,      ///< u8 a file: FileTraits
  kBlocks,          ///< WordBlock for every kTermsPerBlock terms
  kPostingDigests,  ///< u64 for every kPostingBlockBytes of postings
  kDictionary,      ///< terms in byte order, front-coded in blocks
  kPostings,        ///< passages and counts of each term
  kCount,
};

/// Offsets of a block of terms and of its postings.
struct WordBlock {
  std::uint64_t dictionary;
  std::uint64_t postings;
};

inline constexpr std::size_t kTermsPerBlock = 16;
inline constexpr std::size_t kPostingBlockBytes = 4u << 10;

/// The header before the sections.
struct WordHeader {
  std::array<char, 8> magic;
  std::uint64_t checksum;  ///< digest() of everything after this field up to the postings
  std::uint64_t bytes;     ///< of the whole file
  std::uint64_t total_length;
  std::uint64_t file_count;
  std::uint64_t passage_count;
  std::uint64_t term_count;
  std::array<std::uint64_t, static_cast<std::size_t>(WordSection::kCount)> sizes;
};

inline constexpr std::array<char, 8> kWordMagic = {'Q', 'W', 'O', 'R', 'D', 'S', '0', '3'};

/// The checksum covers the head from here on.
inline constexpr std::size_t kCheckedFrom = offsetof(WordHeader, checksum) + sizeof(std::uint64_t);

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

/// A reading view of an index of passages by word. The bytes must outlive it. Thread-safe.
class WordTable {
 public:
  /// Verifies header, checksum, sizes and the order of every column; postings are verified when
  /// they are requested. kInternal with the reason.
  static Result<WordTable> open(std::string_view bytes);
  /// The same for a table whose postings, the last section, are stored apart from the rest.
  static Result<WordTable> open(std::string_view head, std::string_view postings);
  /// Size of a table's head, all bytes before its postings. kInternal.
  static Result<std::size_t> head_bytes(std::string_view bytes);

  /// True if requested postings were damaged; such a term has none.
  [[nodiscard]] bool is_damaged() const { return postings_->is_damaged(); }

  [[nodiscard]] FileId file_count() const { return static_cast<FileId>(header_.file_count); }
  [[nodiscard]] PassageId passage_count() const {
    return static_cast<PassageId>(header_.passage_count);
  }
  [[nodiscard]] std::uint64_t total_length() const { return header_.total_length; }

  [[nodiscard]] FileId file_of(PassageId p) const { return passage_file_[p]; }
  [[nodiscard]] std::uint32_t offset(PassageId p) const { return passage_offset_[p]; }
  [[nodiscard]] std::uint32_t line(PassageId p) const { return passage_line_[p]; }
  [[nodiscard]] std::uint32_t heading(PassageId p) const { return passage_heading_[p]; }
  [[nodiscard]] std::uint32_t context(PassageId p) const { return passage_context_[p]; }
  [[nodiscard]] std::uint32_t length(PassageId p) const { return passage_length_[p]; }
  /// Passages of `file` are [first_passage(file), first_passage(file + 1)).
  [[nodiscard]] PassageId first_passage(FileId file) const { return file_first_[file]; }
  [[nodiscard]] std::uint32_t file_length(FileId file) const { return file_length_[file]; }
  [[nodiscard]] std::uint8_t traits(FileId file) const { return file_traits_[file]; }

  /// The postings of `term`; none if it does not occur.
  [[nodiscard]] TermPostings find(std::string_view term) const;
  [[nodiscard]] PostingCursor walk(const TermPostings& postings) const {
    return {postings.bytes, passage_count()};
  }

 private:
  Status take_sections(std::string_view head, std::string_view postings);
  Status check_columns() const;
  [[nodiscard]] std::string_view block(std::size_t index) const;

  WordHeader header_{};
  Column<std::uint32_t> passage_file_, passage_offset_, passage_line_, passage_heading_,
      passage_context_;
  Column<std::uint16_t> passage_length_;
  Column<std::uint32_t> file_first_, file_length_;
  Column<std::uint8_t> file_traits_;
  Column<WordBlock> blocks_;
  std::string_view dictionary_;
  std::shared_ptr<const CheckedBytes> postings_;
};

}  // namespace quarry::corpus
