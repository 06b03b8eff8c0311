#include "cli/citation_numbers.h"

#include <algorithm>
#include <charconv>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

std::string place_text(std::string_view resource, std::string_view path, std::size_t start,
                       std::size_t end) {
  std::string out(resource);
  out.append(1, ':').append(path);
  if (start > 0) out += "#L" + std::to_string(start) + "-L" + std::to_string(std::max(start, end));
  return out;
}

/// Takes "L12" or "12" from the beginning of `text`; 0 if there is no number.
std::size_t take_line_number(std::string_view& text) {
  if (text.starts_with('L')) text.remove_prefix(1);
  std::size_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  return value;
}

}  // namespace

std::string CitationNumbers::numbered(std::string_view markdown) {
  std::string out;
  bool in_code = false;
  for (std::size_t at = 0; at < markdown.size(); ++at) {
    const char c = markdown[at];
    if (c == '`') in_code = !in_code;
    const std::size_t end = c == '[' && !in_code ? markdown.find_first_of("[]\n", at + 1) : at;
    const bool is_mark = end != at && end != markdown.npos && markdown[end] == ']';
    std::string place = is_mark ? place_in(markdown.substr(at + 1, end - at - 1)) : "";
    if (place.empty()) {
      out += c;
      continue;
    }
    out += "[" + std::to_string(number_of(std::move(place))) + "]";
    at = end;
  }
  return out;
}

std::size_t CitationNumbers::number_of(std::string_view resource, std::string_view path,
                                       std::size_t start, std::size_t end) {
  return number_of(place_text(resource, path, start, end));
}

std::string CitationNumbers::place_in(std::string_view mark) const {
  const std::size_t colon = mark.find(':');
  if (colon == mark.npos || !resources_.contains(mark.substr(0, colon))) return {};
  const std::string_view rest = mark.substr(colon + 1);
  const std::size_t hash = rest.rfind("#L");
  std::string_view lines = hash == rest.npos ? std::string_view() : rest.substr(hash + 1);
  const std::size_t start = take_line_number(lines);
  if (lines.starts_with('-')) lines.remove_prefix(1);
  const std::size_t end = take_line_number(lines);
  const std::string_view path = rest.substr(0, start == 0 ? rest.npos : hash);
  return place_text(mark.substr(0, colon), path, start, end);
}

std::size_t CitationNumbers::number_of(std::string place) {
  return numbers_.emplace(std::move(place), numbers_.size() + 1).first->second;
}

std::map<std::size_t, const Json*> by_number(const Json& citations, CitationNumbers& numbers) {
  std::map<std::size_t, const Json*> out;
  for (const Json& citation : citations) {
    out.emplace(numbers.number_of(citation.value("resource", ""), citation.value("path", ""),
                                  citation.value("startLine", std::size_t{0}),
                                  citation.value("endLine", std::size_t{0})),
                &citation);
  }
  return out;
}

}  // namespace quarry::cli
