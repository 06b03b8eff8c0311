#pragma once

#include "corpus/index/word_bytes.h"
#include "corpus/segment/segment.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace quarry::corpus {

// A posting list is ascending file ids as varints (LEB128, append_varint()): the first id plus one,
// then the distance to the id before. So every number is at least 1, and a list can be extended
// without reading it.

/// Iterates over a posting list. Never reads beyond it, even if it is damaged.
class PostingReader {
 public:
  explicit PostingReader(std::string_view bytes)
      : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  /// The next id, or nullopt at the end (a truncated number ends the list).
  std::optional<FileId> next() {
    std::uint32_t number = 0;
    for (unsigned shift = 0; at_ != end_ && shift < 32; shift += 7) {
      const auto byte = static_cast<unsigned char>(*at_++);
      number |= static_cast<std::uint32_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return (after_ += number) - 1;
    }
    return std::nullopt;
  }

 private:
  const char* at_;
  const char* end_;
  std::uint32_t after_ = 0;  // one more than the last id
};

/// The ids of `bytes` below `end`.
std::vector<FileId> read_postings(std::string_view bytes, FileId end);

/// Removes from `files`, ascending, all that are not in `bytes`.
void keep_postings(std::vector<FileId>& files, std::string_view bytes);

}  // namespace quarry::corpus
