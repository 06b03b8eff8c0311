#include "base/text.h"
#include "corpus/query/citation_text.h"

#include <algorithm>
#include <charconv>

namespace quarry::corpus {
namespace {

constexpr std::size_t kMostBracketBytes = 4096;

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-' || c == '/';
}

/// Removes a line number such as "L10" or "10" from the front of `text`.
std::optional<std::uint32_t> take_line(std::string_view& text) {
  if (text.starts_with('L')) text.remove_prefix(1);
  std::uint32_t line = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), line);
  if (error != std::errc() || line == 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return line;
}

/// Reads "L10", "L10-L20" or "L10-20" into `place`; false if `text` is anything else.
bool read_lines(std::string_view text, WrittenPlace& place) {
  if (!text.starts_with('L')) return false;
  place.start_line = take_line(text);
  place.end_line = place.start_line;
  if (!place.start_line) return false;
  if (text.empty()) return true;
  if (!text.starts_with('-')) return false;
  text.remove_prefix(1);
  place.end_line = take_line(text);
  return place.end_line && text.empty();
}

std::optional<WrittenPlace> parse_place(std::string_view text) {
  const auto* const colon =
      std::ranges::find_if_not(text.starts_with('@') ? text.substr(1) : text, is_name_character);
  const auto name_end = static_cast<std::size_t>(colon - text.begin());
  if (name_end == 0 || name_end == text.size() || *colon != ':') return std::nullopt;
  std::string_view path = text.substr(name_end + 1);
  // "https://…" is a URL, "note: this" is prose.
  if (path.empty() || path.starts_with("//") || path.starts_with(' ')) return std::nullopt;
  WrittenPlace place{std::string(text.substr(0, name_end)), {}, {}, {}};
  const std::size_t hash = path.rfind('#');
  if (hash != std::string_view::npos && read_lines(path.substr(hash + 1), place)) {
    path = path.substr(0, hash);
  }
  if (path.empty()) return std::nullopt;
  place.path = path;
  return place;
}

/// The pieces between ", ".
std::vector<std::string_view> pieces_of(std::string_view text) {
  std::vector<std::string_view> pieces;
  for (;;) {
    const std::size_t comma = text.find(", ");
    pieces.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return pieces;
    text.remove_prefix(comma + 2);
  }
}

}  // namespace

std::vector<WrittenPlace> parse_places(std::string_view text) {
  if (text.size() > kMostBracketBytes) return {};
  std::vector<WrittenPlace> places;
  std::string piece;
  for (const std::string_view next : pieces_of(text)) {
    WrittenPlace more = places.empty() ? WrittenPlace() : places.back();
    const std::string_view lines = next.starts_with('#') ? next.substr(1) : next;
    if (auto place = parse_place(next)) {
      places.push_back(std::move(*place));
      piece = next;
    } else if (places.empty()) {
      return {};
    } else if (read_lines(lines, more)) {
      places.push_back(std::move(more));  // "#L1-L2, L8": the same file again
    } else {
      // The comma was part of a path.
      piece += ", " + std::string(next);
      auto joined = parse_place(piece);
      if (joined) places.back() = std::move(*joined);
    }
  }
  return places;
}

}  // namespace quarry::corpus
