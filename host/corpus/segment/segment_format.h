#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace quarry::corpus {

// Names and numbers of format.md shared by readers and writers of a segment.

inline constexpr const char* kTextFile = "text";
inline constexpr const char* kTableFile = "tables";
inline constexpr std::string_view kSegmentKind = "segment4";

/// Bytes of text for each digest.
inline constexpr std::size_t kTextBlockBytes = 64u << 10;

/// Lines for each stored line start; lines between are found by counting newlines.
inline constexpr std::uint32_t kLinesPerMark = 64;

/// Number of line starts stored for a file of `lines` lines; that of line 1 is always 0.
constexpr std::uint32_t marks_for(std::uint32_t lines) {
  return lines == 0 ? 0 : (lines - 1) / kLinesPerMark;
}

}  // namespace quarry::corpus
