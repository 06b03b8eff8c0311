#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace quarry::corpus {

// Names and numbers of format.md that readers and writers of a segment share.

inline constexpr const char* kTextFile = "text";
inline constexpr const char* kTableFile = "tables";
inline constexpr std::string_view kSegmentKind = "segment2";

/// The text has a digest for every so many bytes.
inline constexpr std::size_t kTextBlockBytes = 64u << 10;

/// The start of every 64th line is kept; the lines between are found by counting newlines.
inline constexpr std::uint32_t kLinesPerMark = 64;

/// How many line starts are kept for a file of `lines` lines (that of line 1 goes without saying).
constexpr std::uint32_t marks_for(std::uint32_t lines) {
  return lines == 0 ? 0 : (lines - 1) / kLinesPerMark;
}

}  // namespace quarry::corpus
