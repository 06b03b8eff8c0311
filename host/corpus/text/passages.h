#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// A byte offset that means none.
inline constexpr std::uint32_t kNowhere = 0xFFFFFFFF;

/// Consecutive lines that belong together: a function, a section under a heading.
struct PassageSpan {
  std::uint32_t begin;    ///< byte offset in the text
  std::uint32_t end;      ///< first byte after it
  std::uint32_t line;     ///< number of its first line, from 1
  std::uint32_t heading;  ///< byte offset of its heading or definition (heading_at), or kNowhere
  std::uint32_t context;  ///< the same of the part that encloses it, or kNowhere
};

/// A name that the text defines at a byte offset.
struct DefinedName {
  std::uint32_t offset;
  std::string_view name;
};

struct Passages {
  std::vector<PassageSpan> spans;          ///< in order, without gaps, together the whole text
  std::vector<DefinedName> defined_names;  ///< in order
};

/// Cuts a text of less than 4 GiB into passages, by the kind of file its path indicates: sections
/// of prose (Markdown, reStructuredText, AsciiDoc, HTML, manual pages), definitions of source code
/// in any language, windows of lines of anything else. [any thread]
[[nodiscard]] Passages cut_passages(std::string_view path, std::string_view text);

/// The heading or definition at byte `offset` for display: without markup, at most 120 bytes.
[[nodiscard]] std::string heading_text(std::string_view text, std::uint32_t offset);

/// The heading of a passage after that of the part that encloses it, "Shop › Refunds"; either
/// offset may be kNowhere.
[[nodiscard]] std::string full_heading_text(std::string_view text, std::uint32_t heading,
                                            std::uint32_t context);

}  // namespace quarry::corpus
