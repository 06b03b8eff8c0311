#pragma once

#include "corpus/index/word_table.h"
#include "corpus/segment/segment.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace quarry::corpus {

/// Bytes of a passage that are encoded at most.
inline constexpr std::size_t kMostEncodedBytes = 4096;

/// The text that stands for a passage when it is encoded: the headings above it, a line each, then
/// its own text, cut between characters. Empty if the passage is blank. The segment's text must
/// be undamaged.
[[nodiscard]] std::string passage_text(const Segment& segment, const WordTable& table,
                                       PassageId passage);

/// Digest of every passage's text, by PassageId. Equal texts have equal digests; 0 is that of a
/// blank one, which is not encoded.
[[nodiscard]] std::vector<std::uint64_t> passage_digests(const Segment& segment,
                                                         const WordTable& table);

/// A digest of where the passages begin: two tables of one segment with equal ones have the same
/// passages.
[[nodiscard]] std::uint64_t places_digest(const WordTable& table);

}  // namespace quarry::corpus
