#pragma once

#include "base/error.h"
#include "corpus/index/vector_index.h"
#include "corpus/index/vector_part.h"
#include "corpus/snapshot/encoder.h"
#include "corpus/snapshot/snapshot.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// Builds the vectors of one segment, a batch at a time. No text is encoded twice: equal texts
/// share a row, rows of other files are taken over, and each batch is kept before the next one.
/// Not thread-safe.
class SegmentVectors {
 public:
  /// Begins or continues. Rows of equal texts are taken over from the vectors, finished or not, of
  /// this snapshot and of those in the directories `earlier`, and kept as if they had been encoded.
  /// kNotFound if the segment has no index of words yet; kUnavailable if another process builds
  /// the same vectors; SnapshotDamaged.
  static Result<SegmentVectors> open(std::shared_ptr<const Snapshot> snapshot,
                                     std::uint32_t segment, std::string_view encoder_identity,
                                     std::span<const std::filesystem::path> earlier);

  /// Number of passages, and of those with a vector or nothing to encode.
  [[nodiscard]] std::size_t total() const { return texts_.size(); }
  [[nodiscard]] std::size_t done() const { return done_; }
  [[nodiscard]] bool is_complete() const { return done() == total(); }
  /// Number of texts that are still to be encoded; equal ones count once.
  [[nodiscard]] std::size_t missing() const { return missing_.size() - next_; }

  /// Encodes the next `count` texts and keeps their rows. Publishes the file of vectors from time
  /// to time, and when it is complete. A single text that the encoder refuses with kInvalidArgument
  /// gets no direction if it accepts others. Other errors are the encoder's, or those of the disk,
  /// and leave what is kept; kInternal if the vectors do not fit the texts.
  Status encode_next(Encoder& encoder, std::size_t count, const std::stop_token& stop);

  /// Publishes what is kept, so that it can be searched.
  Status publish();

 private:
  struct Place {
    std::uint64_t text;
    PassageId passage;
    friend auto operator<=>(const Place&, const Place&) = default;
  };

  SegmentVectors() = default;
  void list_places();
  [[nodiscard]] bool wants(const StoredRow& row) const;
  void set_row(const StoredRow& row);
  Status take_dimension(std::uint32_t dimension);
  [[nodiscard]] bool take_own(const std::filesystem::path& file);
  Status continue_part(std::span<const std::filesystem::path> earlier);
  void collect_from(const std::filesystem::path& snapshot, std::vector<EncodedText>& found);
  void list_missing();
  [[nodiscard]] std::vector<std::string> texts_of(std::span<const PassageId> passages) const;
  Result<std::vector<EncodedText>> encode(Encoder& encoder, std::span<const PassageId> passages,
                                          const std::stop_token& stop);
  Status encode_each(Encoder& encoder, std::span<const PassageId> passages,
                     const std::stop_token& stop);
  [[nodiscard]] std::vector<PassageId> next_batch(std::size_t count);
  Status keep(std::span<const EncodedText> rows);
  [[nodiscard]] std::filesystem::path file() const;

  std::shared_ptr<const Snapshot> snapshot_;
  std::uint32_t segment_ = 0;
  std::shared_ptr<const WordIndex> words_;
  std::string name_;                  // of the file of vectors
  std::optional<VectorPart> part_;    // none once the vectors are complete
  std::vector<std::uint64_t> texts_;  // by passage, see passage_digests()
  std::vector<Place> places_;         // ascending; without blank passages
  VectorTable table_;
  std::vector<bool> has_row_;       // by passage
  std::vector<PassageId> missing_;  // ascending: the first passage of each text without a row
  std::size_t next_ = 0;            // in missing_
  std::size_t done_ = 0;
  std::size_t published_ = 0;  // done_ when the file was written
};

}  // namespace quarry::corpus
