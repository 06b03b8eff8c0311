#include "services/canonical_text.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

namespace quarry::services {
namespace {

/// The first bytes of encodings.
constexpr bool is_lead(char c) {
  return c == '%' || c == '\\' || c == '&';
}

/// The size of the longest encoding that is known: "&#x002F;" with some zeros.
constexpr std::size_t kLongestEncoding = 10;

char fold(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
  if (c == '-' || c == ' ') return '+';
  return c == '_' ? '/' : c;
}

/// The number that `digits`, all of them, are in this base.
std::optional<std::uint32_t> number(std::string_view digits, int base) {
  std::uint32_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, wrong] = std::from_chars(digits.data(), end, value, base);
  if (digits.empty() || wrong != std::errc() || stop != end) return std::nullopt;
  return value;
}

using Bytes = std::optional<std::string>;

Bytes byte(std::string_view digits) {
  const auto value = number(digits, 16);
  return value ? Bytes(std::string(1, static_cast<char>(*value))) : std::nullopt;
}

/// In UTF-8; nothing beyond the basic plane.
Bytes character(std::string_view digits, int base) {
  const auto value = number(digits, base);
  if (!value || *value > 0xFFFF) return std::nullopt;
  const auto octet = [](std::uint32_t bits) { return static_cast<char>(bits); };
  const std::uint32_t c = *value;
  if (c < 0x80) return std::string{octet(c)};
  const char last = octet(0x80 | (c & 0x3F));
  if (c < 0x800) return std::string{octet(0xC0 | c >> 6), last};
  return std::string{octet(0xE0 | c >> 12), octet(0x80 | (c >> 6 & 0x3F)), last};
}

/// What an entity means, which is given without `&` and `;`.
Bytes entity(std::string_view name) {
  if (name.starts_with("#x") || name.starts_with("#X")) return character(name.substr(2), 16);
  if (name.starts_with('#')) return character(name.substr(1), 10);
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"quot", "\""}, {"apos", "'"}, {"nbsp", " "}};
  for (const auto& [known, meaning] : kNames) {
    if (known == name) return std::string(meaning);
  }
  return std::nullopt;
}

/// An encoding at the end of a text.
struct Encoded {
  std::size_t size = 0;
  std::string meaning;
};

std::optional<Encoded> encoded(std::size_t size, Bytes meaning) {
  if (!meaning) return std::nullopt;
  return Encoded{size, std::move(*meaning)};
}

std::optional<Encoded> entity_at_end(std::string_view all) {
  const std::string_view end = all.substr(all.size() - std::min(all.size(), kLongestEncoding));
  const std::size_t begin = end.rfind('&');
  if (begin == std::string_view::npos || all.back() != ';') return std::nullopt;
  const std::size_t size = end.size() - begin;
  return encoded(size, entity(end.substr(begin + 1, size - 2)));
}

/// "%2F", "\x2F" or "\u002F".
std::optional<Encoded> digits_at_end(std::string_view all) {
  const std::size_t size = all.size();
  if (size >= 3 && all[size - 3] == '%') return encoded(3, byte(all.substr(size - 2)));
  if (size >= 4 && all.substr(size - 4, 2) == "\\x") return encoded(4, byte(all.substr(size - 2)));
  if (size < 6 || all.substr(size - 6, 2) != "\\u") return std::nullopt;
  return encoded(6, character(all.substr(size - 4), 16));
}

/// A backslash and what it escapes, unless digits may follow.
std::optional<Encoded> escape_at_end(std::string_view all) {
  const char last = all.back();
  if (all.size() < 2 || all[all.size() - 2] != '\\' || last == 'u' || last == 'x') return {};
  const bool breaks = last == 'n' || last == 'r' || last == 't';
  return Encoded{2, std::string(1, breaks ? '\n' : last)};
}

/// The encoding that `all`, which is not empty, ends with.
std::optional<Encoded> encoding_at_end(std::string_view all) {
  for (const auto find : {entity_at_end, digits_at_end, escape_at_end}) {
    if (auto found = find(all)) return found;
  }
  return std::nullopt;
}

/// Replaces each encoding at the end of what it has by what it means, which may complete another
/// one.
class Decoder {
 public:
  Decoder(std::size_t size, ByteOrigins origins) : origins_(origins) { out_.bytes.reserve(size); }

  void add(char c, std::size_t begin, std::size_t end) {
    append(c, begin, end);
    while (out_.bytes.size() < lead_ + kLongestEncoding && !out_.bytes.empty()) {
      const auto found = encoding_at_end(out_.bytes);
      if (!found) return;
      const std::size_t kept = out_.bytes.size() - found->size;
      const std::size_t from = origins_ == ByteOrigins::kKept ? out_.begins[kept] : 0;
      drop_after(kept);
      for (const char byte : found->meaning) append(byte, from, end);
    }
  }

  DecodedText take() {
    for (char& c : out_.bytes) c = fold(c);
    return std::move(out_);
  }

 private:
  void append(char c, std::size_t begin, std::size_t end) {
    if (broken_ && (c == ' ' || c == '\t')) return;
    broken_ = c == '\r' || c == '\n';
    if (broken_) return;
    out_.bytes += c;
    if (is_lead(c)) lead_ = out_.bytes.size();
    if (origins_ == ByteOrigins::kLeft) return;
    out_.begins.push_back(begin);
    out_.ends.push_back(end);
  }

  void drop_after(std::size_t size) {
    out_.bytes.resize(size);
    if (origins_ == ByteOrigins::kLeft) return;
    out_.begins.resize(size);
    out_.ends.resize(size);
  }

  DecodedText out_;
  const ByteOrigins origins_;
  std::size_t lead_ = 0;  ///< behind the last first byte of an encoding, which may be dropped
  bool broken_ = false;   ///< the last byte was a line break
};

}  // namespace

std::string canonical(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = fold(c);
  return out;
}

bool may_be_encoded(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return is_lead(c) || c == '\r' || c == '\n'; });
}

DecodedText decoded(std::string_view text, ByteOrigins origins) {
  Decoder decoder(text.size(), origins);
  for (std::size_t i = 0; i < text.size(); ++i) decoder.add(text[i], i, i + 1);
  return decoder.take();
}

}  // namespace quarry::services
