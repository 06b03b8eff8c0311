#pragma once

#include "base/error.h"
#include "base/file.h"
#include "corpus/index/vector_row.h"
#include "corpus/index/word_bytes.h"
#include "corpus/index/word_table.h"
#include "corpus/segment/checked_bytes.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// Name of the file with the vectors of an encoder, beside the other indexes of a segment. Those
/// of other encoders are left alone: another process may use them.
[[nodiscard]] std::string vector_file_name(std::string_view encoder_identity);

/// Bytes of rows for each digest.
inline constexpr std::size_t kVectorBlockBytes = 64u << 10;

/// The header of a file of vectors. Then follow, each padded to 8 bytes: f32 a passage, its scale;
/// u64 a passage, the digest of the text that was encoded, or 0; u64 a block of rows, its digest;
/// the rows.
struct VectorHeader {
  std::array<char, 8> magic;
  std::uint64_t checksum;  ///< digest() of everything after this field up to the rows
  std::uint64_t bytes;     ///< of the whole file
  std::uint64_t places;    ///< places_digest() of the passages
  std::uint32_t passages;
  std::uint32_t dimension;
  std::uint32_t
      done;  ///< passages that are encoded or blank; those that are neither have a zero row
  std::uint32_t unused;
};

inline constexpr std::array<char, 8> kVectorMagic = {'Q', 'V', 'E', 'C', 'T', 'O', 'R', '1'};

/// The vectors of all passages of a segment, for writing.
struct VectorTable {
  std::uint64_t places = 0;
  std::uint32_t dimension = 0;
  std::uint32_t done = 0;
  std::vector<float> scales;
  std::vector<std::uint64_t> texts;
  std::string rows;
};

/// The bytes of a file.
[[nodiscard]] std::string to_bytes(const VectorTable& table);

/// The vectors of a segment's passages, mapped. Thread-safe.
class VectorIndex {
 public:
  /// Verifies header, checksum, sizes and scales; rows are verified when they are read. kInternal
  /// with the reason.
  static Result<std::shared_ptr<const VectorIndex>> open(const std::filesystem::path& file);

  /// True if its passages are those of `table`.
  [[nodiscard]] bool fits(const WordTable& table) const;

  [[nodiscard]] std::uint32_t passage_count() const { return header_.passages; }
  [[nodiscard]] std::uint32_t dimension() const { return header_.dimension; }
  /// Number of passages whose vectors are known, blank ones included.
  [[nodiscard]] std::uint32_t done() const { return header_.done; }
  [[nodiscard]] bool is_complete() const { return done() == passage_count(); }

  [[nodiscard]] float scale(PassageId passage) const { return scales_[passage]; }
  /// Digest of the text that was encoded; 0 if none was.
  [[nodiscard]] std::uint64_t text(PassageId passage) const { return texts_[passage]; }
  /// Rows from that of `passage` on, row_bytes(dimension()) each.
  [[nodiscard]] const std::int8_t* rows(PassageId passage) const {
    return reinterpret_cast<const std::int8_t*>(rows_->bytes().data()) +
           passage * row_bytes(dimension());
  }

  /// False if one of these rows is damaged. Compares each block once.
  [[nodiscard]] bool check(PassageId first, std::size_t count) const;
  /// The same for one row, at this moment.
  [[nodiscard]] bool recheck(PassageId passage) const;
  [[nodiscard]] bool is_damaged() const { return rows_->is_damaged(); }

  /// For open().
  VectorIndex() = default;

 private:
  Status take_sections();

  VectorHeader header_{};
  std::string head_;  // in memory, where it no longer changes
  MappedFile file_;   // for the rows
  Column<float> scales_;
  Column<std::uint64_t> texts_;
  std::unique_ptr<const CheckedBytes> rows_;
};

}  // namespace quarry::corpus
