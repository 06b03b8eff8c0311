#include "model-extractive/excerpt.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace quarry::extractive {
namespace {

// Sorted, for binary search.
constexpr std::array<std::string_view, 44> kCommonWords = {
    "about", "and",  "any",    "are",  "but",   "can",   "could", "did",   "does", "for",  "from",
    "get",   "has",  "have",   "how",  "into",  "its",   "may",   "not",   "off",  "one",  "our",
    "out",   "over", "should", "that", "the",   "then",  "there", "these", "they", "this", "use",
    "used",  "was",  "what",   "when", "where", "which", "who",   "why",   "will", "with", "you"};

// Distinct words of the question weigh far more than repetitions of one word.
constexpr std::size_t kDistinctWord = 8;

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80) != 0;
}

bool is_blank(const NumberedLine& line) {
  return line.text.find_first_not_of(" \t\r\f\v") == std::string::npos;
}

std::vector<std::string_view> line_views(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    out.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return out;
}

/// The words in each line, one bit per word (only the first 64 words).
std::vector<std::uint64_t> words_by_line(const std::vector<NumberedLine>& lines,
                                         const std::vector<std::string>& words) {
  std::vector<std::uint64_t> out;
  for (const NumberedLine& line : lines) {
    const std::string text = lowered(line.text);
    std::uint64_t found = 0;
    for (std::size_t i = 0; i < std::min<std::size_t>(words.size(), 64); ++i) {
      if (text.find(words[i]) != std::string::npos) found |= std::uint64_t{1} << i;
    }
    out.push_back(found);
  }
  return out;
}

std::size_t score(const std::vector<std::uint64_t>& words, std::size_t first, std::size_t count) {
  std::uint64_t distinct = 0;
  std::size_t hits = 0;
  for (std::size_t i = first; i < first + count; ++i) {
    distinct |= words[i];
    hits += words[i] != 0 ? 1 : 0;
  }
  return kDistinctWord * static_cast<std::size_t>(__builtin_popcountll(distinct)) + hits;
}

}  // namespace

std::string lowered(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), lower);
  return out;
}

std::vector<NumberedLine> numbered_lines(std::string_view output) {
  std::vector<NumberedLine> out;
  for (const std::string_view line : line_views(output)) {
    const std::size_t digits = line.find_first_not_of(' ');
    if (digits == std::string_view::npos) continue;
    std::uint32_t number = 0;
    const auto [end, error] =
        std::from_chars(line.data() + digits, line.data() + line.size(), number);
    if (error != std::errc() || end == line.data() + line.size() || *end != '\t') continue;
    const auto text = static_cast<std::size_t>(end + 1 - line.data());
    out.push_back({number, std::string(line.substr(text))});
  }
  return out;
}

std::vector<std::string> key_words(std::string_view question) {
  std::vector<std::string> out;
  const std::string text = lowered(question);
  for (std::size_t at = 0; at < text.size();) {
    if (!is_word(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string word = text.substr(at, end - at);
    const bool common = std::binary_search(kCommonWords.begin(), kCommonWords.end(), word);
    const bool known = std::find(out.begin(), out.end(), word) != out.end();
    if (word.size() >= 3 && !common && !known) out.push_back(word);
    at = end;
  }
  return out;
}

std::vector<NumberedLine> best_excerpt(const std::vector<NumberedLine>& lines,
                                       const std::vector<std::string>& words, std::size_t most) {
  if (lines.empty()) return {};
  const std::size_t count = std::min(most, lines.size());
  const auto found = words_by_line(lines, words);
  std::size_t best = 0;
  for (std::size_t first = 1; first + count <= lines.size(); ++first) {
    if (score(found, first, count) > score(found, best, count)) best = first;
  }
  auto begin = lines.begin() + static_cast<std::ptrdiff_t>(best);
  auto end = begin + static_cast<std::ptrdiff_t>(count);
  while (begin != end && is_blank(*begin)) ++begin;
  while (begin != end && is_blank(*(end - 1))) --end;
  return {begin, end};
}

}  // namespace quarry::extractive
