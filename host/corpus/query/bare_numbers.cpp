#include "corpus/query/bare_numbers.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <vector>

namespace quarry::corpus {
namespace {

constexpr std::size_t kMostWordsAfter = 4;
constexpr std::size_t kMostLines = 40;      // more lines have too many numbers to tell
constexpr std::size_t kLongestNumber = 64;  // bytes, of which the parts are told
constexpr std::size_t kLongestNoun = 16;    // bytes, more than those of the nouns below

bool is_number_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_number_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

/// True for a separator within a number, as in 1,000 or 1'000 or 2.5.
bool joins_digits(std::string_view text, std::size_t at) {
  return at > 0 && at + 1 < text.size() && std::string_view(",'_.").contains(text[at]) &&
         is_number_digit(text[at - 1]) && is_number_digit(text[at + 1]);
}

std::size_t end_of_number(std::string_view text, std::size_t at) {
  while (at < text.size() && (is_number_digit(text[at]) || joins_digits(text, at))) ++at;
  return at;
}

/// Without the separators of thousands.
std::string plain_number(std::string_view number) {
  std::string out;
  for (const char c : number) {
    if (is_number_digit(c) || c == '.') out += c;
  }
  return out;
}

/// Every number that can be read in the text, and the beginnings and ends of those with points, but
/// not of longer ones: they would take the square of their size.
std::set<std::string> numbers_of(std::string_view text) {
  std::set<std::string> out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!is_number_digit(text[at])) continue;
    const std::size_t end = end_of_number(text, at);
    const std::string number = plain_number(text.substr(at, end - at));
    out.insert(number);
    const std::string_view parted = number.size() <= kLongestNumber ? number : std::string_view();
    for (std::size_t point = 0; (point = parted.find('.', point)) != parted.npos; ++point) {
      out.insert(number.substr(0, point));
      out.insert(number.substr(point + 1));
    }
    for (const std::string_view part : split(text.substr(at, end - at), ',')) {
      out.insert(plain_number(part));
    }
    at = end;
  }
  return out;
}

bool has_number_word(std::string_view text, std::string_view number) {
  constexpr std::array<std::string_view, 13> kWords = {"zero", "one",    "two",   "three", "four",
                                                       "five", "six",    "seven", "eight", "nine",
                                                       "ten",  "eleven", "twelve"};
  for (std::size_t i = 0; i < kWords.size(); ++i) {
    if (std::to_string(i) == number) return to_lower(text).contains(kWords[i]);
  }
  return false;
}

/// True if one of `numbers` is the same in a smaller or larger unit.
bool has_other_unit(const std::set<std::string>& numbers, std::string_view number) {
  constexpr std::array<std::uint64_t, 7> kFactors = {60, 3600, 86400, 1000, 1024, 1000000, 1048576};
  const auto value_of = [](std::string_view text) {
    std::uint64_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    return read.ptr == text.data() + text.size() && value < 1'000'000'000 ? value : 0;
  };
  const std::uint64_t wanted = value_of(number);
  if (wanted == 0) return false;
  return std::ranges::any_of(numbers, [&](const std::string& one) {
    const std::uint64_t value = value_of(one);
    return value != 0 && std::ranges::any_of(kFactors, [&](std::uint64_t factor) {
             return value == wanted * factor || wanted == value * factor;
           });
  });
}

std::string_view word_before(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t#(:");
  if (last == std::string_view::npos) return {};
  text = text.substr(0, last + 1);
  text.remove_prefix(text.size() - std::min(text.size(), kLongestNoun));
  const std::size_t begin = text.find_last_of(" \t([");
  return begin == std::string_view::npos ? text : text.substr(begin + 1);
}

std::string_view word_after(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  text = text.substr(first, kLongestNoun);
  return text.substr(0, text.find_first_of(" \t.,;:)"));
}

/// True if a number is the name of something, as in "step 2".
bool is_ordinal(std::string_view before) {
  constexpr std::array<std::string_view, 19> kNouns = {
      "line",  "lines",   "step", "section", "chapter", "figure",  "table",
      "page",  "version", "item", "issue",   "note",    "example", "part",
      "phase", "case",    "to",   "through", "rfc"};
  if (before.ends_with('#')) return true;
  const std::string word = to_lower(word_before(before));
  return std::ranges::find(kNouns, word) != kNouns.end() ||
         before.find_last_not_of(" \t\n\v\f\r") == std::string_view::npos;
}

/// True if a small number counts parts of a program, which its text need not say.
bool is_count(std::string_view number, std::string_view after) {
  constexpr std::array<std::string_view, 20> kParts = {
      "arguments", "parameters", "fields",   "members",    "functions", "methods", "cases",
      "branches",  "steps",      "ways",     "kinds",      "types",     "forms",   "places",
      "lines",     "overloads",  "variants", "conditions", "classes",   "parts"};
  if (number.size() > 1) return false;
  return std::ranges::find(kParts, to_lower(word_after(after))) != kParts.end();
}

bool has_more_words(std::string_view text, std::size_t most) {
  for (std::size_t count = 0; !text.empty();) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (!trim(text.substr(0, end)).empty() && ++count > most) return true;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

/// True for what may follow the digits of a value: nothing, a unit, or a percent sign.
bool ends_value(std::string_view after) {
  constexpr std::array<std::string_view, 13> kUnits = {"",   "s",  "ms", "us",  "ns",  "m", "h",
                                                       "kb", "mb", "gb", "kib", "mib", "b"};
  std::size_t size = 0;
  while (size < after.size() && (is_number_letter(after[size]) || is_number_digit(after[size])))
    ++size;
  if (after.starts_with('-') || after.starts_with('/')) return false;
  return std::ranges::find(kUnits, to_lower(after.substr(0, size))) != kUnits.end();
}

bool begins_value(std::string_view before) {
  if (before.empty()) return true;
  const char last = before.back();
  return !is_number_letter(last) && !std::string_view("-.#/:[").contains(last);
}

}  // namespace

std::string last_bare_number(std::string_view sentence) {
  std::string found;
  for (std::size_t at = 0; at < sentence.size();) {
    if (!is_number_digit(sentence[at])) {
      ++at;
      continue;
    }
    const std::size_t end = end_of_number(sentence, at);
    const std::string_view before = sentence.substr(0, at);
    const std::string_view after = sentence.substr(end);
    const std::string number = plain_number(sentence.substr(at, end - at));
    const bool is_value = begins_value(before) && ends_value(after) && !is_ordinal(before) &&
                          !is_count(number, after) && std::ranges::count(number, '.') <= 1;
    if (is_value && !has_more_words(after, kMostWordsAfter)) found = number;
    at = end;
  }
  return found;
}

bool may_have_number(std::string_view text, std::string_view number) {
  if (static_cast<std::size_t>(std::ranges::count(text, '\n')) > kMostLines) return true;
  const std::set<std::string> numbers = numbers_of(text);
  return numbers.empty() || numbers.contains(std::string(number)) ||
         has_number_word(text, number) || has_other_unit(numbers, number);
}

}  // namespace quarry::corpus
