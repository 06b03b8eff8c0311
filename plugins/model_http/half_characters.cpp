#include "model_http/half_characters.h"

#include <quarry/json.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace quarry::model_http {
namespace {

constexpr std::uint32_t kFirstSurrogate = 0xD800;
constexpr std::uint32_t kFirstLow = 0xDC00;
constexpr std::uint32_t kEndOfSurrogates = 0xE000;
// The private characters: one for each surrogate, then one for each byte.
constexpr std::uint32_t kSurrogateMarks = 0x10F000;
constexpr std::uint32_t kByteMarks = kSurrogateMarks + kEndOfSurrogates - kFirstSurrogate;
constexpr std::uint32_t kEndOfMarks = kByteMarks + 0x100;
constexpr std::string_view kLead = "\xF4\x8F";  ///< of every mark
constexpr std::size_t kMarkSize = 4;
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::size_t kEscapeSize = 6;

void put(std::uint32_t point, std::string& out) {
  char bytes[4];
  out.append(bytes, quarry_json_put(point, bytes));
}

std::uint8_t byte_at(std::string_view text, std::size_t at) {
  return static_cast<std::uint8_t>(text[at]);
}

/// The unit of an escape \uXXXX at the beginning; 0 when there is none.
std::uint32_t unit_at(std::string_view text) {
  if (text.size() < kEscapeSize || !text.starts_with("\\u")) return 0;
  std::uint32_t unit = 0;
  const char* const end = text.data() + kEscapeSize;
  return std::from_chars(text.data() + 2, end, unit, 16).ptr == end ? unit : 0;
}

bool is_high(std::uint32_t unit) {
  return unit >= kFirstSurrogate && unit < kFirstLow;
}

bool is_low(std::uint32_t unit) {
  return unit >= kFirstLow && unit < kEndOfSurrogates;
}

/// Size of the UTF-8 character at the beginning of `text`; 0 when there is none.
std::size_t size_of_character(std::string_view text) {
  const std::uint8_t first = byte_at(text, 0);
  const std::size_t size = first < 0x80                     ? 1
                           : first >= 0xC2 && first < 0xE0  ? 2
                           : first >= 0xE0 && first < 0xF0  ? 3
                           : first >= 0xF0 && first <= 0xF4 ? 4
                                                            : 0;
  if (size > text.size()) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte_at(text, i) & 0xC0) != 0x80) return 0;
  }
  const std::uint8_t second = size > 1 ? byte_at(text, 1) : 0;
  const bool invalid = (first == 0xE0 && second < 0xA0) || (first == 0xED && second >= 0xA0) ||
                       (first == 0xF0 && second < 0x90) || (first == 0xF4 && second >= 0x90);
  return invalid ? 0 : size;
}

/// The character at the beginning of `text`, which has kMarkSize bytes, if it is a mark; else 0.
std::uint32_t mark_at(std::string_view text) {
  if (text.size() < kMarkSize || !text.starts_with(kLead)) return 0;
  const std::uint32_t point =
      0x10F000 | (byte_at(text, 2) & 0x3Fu) << 6 | (byte_at(text, 3) & 0x3Fu);
  return point < kEndOfMarks ? point : 0;
}

}  // namespace

std::optional<std::string> mark_halves(std::string_view json) {
  std::string out;
  bool marked = false;
  const auto mark = [&](std::uint32_t point, std::size_t size) {
    put(point, out);
    json.remove_prefix(size);
    marked = true;
  };
  const auto copy = [&](std::size_t size) {
    out += json.substr(0, size);
    json.remove_prefix(std::min(size, json.size()));
  };
  while (!json.empty()) {
    if (json.front() != '\\') {
      const std::size_t size = size_of_character(json);
      size == 0 ? mark(kByteMarks + byte_at(json, 0), 1) : copy(size);
      continue;
    }
    const std::uint32_t unit = unit_at(json);
    if (!is_high(unit) && !is_low(unit)) {
      copy(2);
    } else if (is_high(unit) && is_low(unit_at(json.substr(kEscapeSize)))) {
      copy(2 * kEscapeSize);
    } else {
      mark(kSurrogateMarks + unit - kFirstSurrogate, kEscapeSize);
    }
  }
  return marked ? std::optional(std::move(out)) : std::nullopt;
}

std::string_view HalfJoiner::join(std::string_view delta) {
  if (high_ == 0 && delta.find(kLead) == delta.npos) return delta;
  joined_.clear();
  while (!delta.empty()) {
    if (const std::uint32_t mark = mark_at(delta); mark != 0) {
      add(mark);
      delta.remove_prefix(kMarkSize);
      continue;
    }
    end_half();
    const std::size_t end = std::min(delta.find(kLead, 1), delta.size());
    joined_ += delta.substr(0, end);
    delta.remove_prefix(end);
  }
  return joined_;
}

void HalfJoiner::add(std::uint32_t mark) {
  const std::uint32_t unit = mark - kSurrogateMarks + kFirstSurrogate;
  if (mark >= kByteMarks) {
    end_half();
    joined_ += static_cast<char>(mark - kByteMarks);
  } else if (is_high(unit)) {
    end_half();
    high_ = unit;
  } else if (high_ != 0) {
    put(0x10000 + ((std::exchange(high_, 0) - kFirstSurrogate) << 10) + (unit - kFirstLow),
        joined_);
  } else {
    joined_ += kReplacement;
  }
}

void HalfJoiner::end_half() {
  if (std::exchange(high_, 0) != 0) joined_ += kReplacement;
}

std::string_view HalfJoiner::rest() {
  return std::exchange(high_, 0) != 0 ? kReplacement : std::string_view();
}

}  // namespace quarry::model_http
