#include "corpus/text/decode.h"

#include "base/utf8.h"
#include "corpus/text/code_point.h"
#include "corpus/text/legacy_encoding.h"
#include "corpus/text/notebook.h"
#include "corpus/text/utf16.h"

#include <algorithm>
#include <utility>

namespace quarry::corpus {
namespace {

/// Bytes at the start of a file that are examined for control characters.
constexpr std::size_t kExaminedBytes = 64u << 10;

/// Text in an encoding of the time before Unicode has at most one odd control character in this
/// number of bytes at the start, besides the one that ends a file of DOS.
constexpr std::size_t kBytesPerOddOne = 200;
constexpr char kDosEnd = '\x1A';

constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
constexpr std::string_view kLittleMark = "\xFF\xFE";
constexpr std::string_view kBigMark = "\xFE\xFF";
constexpr std::string_view kJapaneseShift = "\x1B$";  // begins two-byte characters of ISO-2022

bool is_odd_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  // Tab to carriage return are white space; backspace and escape occur in captured terminal output.
  return (byte < 0x20 && !(byte >= 0x08 && byte <= 0x0D) && byte != 0x1B) || byte == 0x7F;
}

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string_view::npos; ++count) {
    at += part.size();
  }
  return count;
}

bool too_odd(std::size_t odd, std::size_t all) {
  return odd * 10 > all * 3;
}

/// True if `bytes`, of which `replaced` are not UTF-8, are damaged UTF-8 rather than text in
/// another encoding, where a few pairs of bytes look like UTF-8 by chance.
bool is_damaged_utf8(std::string_view bytes, std::size_t replaced) {
  const auto beyond = static_cast<std::size_t>(std::ranges::count_if(
      bytes, [](char byte) { return static_cast<unsigned char>(byte) >= 0x80; }));
  return beyond > 3 * replaced;
}

/// The text in `bytes`, which are not UTF-8; nullopt if they are none.
std::optional<std::string> other_text(std::string_view bytes, bool may_be_legacy) {
  const std::size_t before = count_of(bytes, kReplacement);
  std::string repaired = to_utf8(bytes);
  const std::size_t replaced = count_of(repaired, kReplacement) - before;
  if (may_be_legacy && !is_damaged_utf8(bytes, replaced)) {
    if (auto text = from_legacy_encoding(bytes)) return text;
  }
  if (too_odd(replaced, bytes.size())) return std::nullopt;
  return repaired;
}

/// Makes newlines of the carriage returns of a text that has no newline.
std::string_view with_newlines(std::string_view text, std::string& storage) {
  if (!text.contains('\r') || text.contains('\n')) return text;
  if (text.data() != storage.data()) storage = text;
  std::ranges::replace(storage, '\r', '\n');
  return storage;
}

/// decode_text() for bytes in UTF-8, or in an encoding that extends ASCII.
std::optional<std::string_view> decode_bytes(std::string_view bytes, std::string& storage) {
  if (bytes.contains('\0')) return std::nullopt;
  const std::string_view start = bytes.substr(0, kExaminedBytes);
  const auto odd = static_cast<std::size_t>(std::ranges::count_if(start, is_odd_control));
  if (too_odd(odd, start.size())) return std::nullopt;
  const bool shifts = bytes.contains(kJapaneseShift);
  if (is_utf8(bytes) && !shifts) return bytes;
  const std::size_t ends = bytes.ends_with(kDosEnd) ? 1 : 0;
  auto text = other_text(bytes, (odd - std::min(odd, ends)) * kBytesPerOddOne <= start.size());
  if (!text || text->contains('\0')) return std::nullopt;
  storage = std::move(*text);
  return storage;
}

}  // namespace

std::optional<std::string_view> decode_text(std::string_view bytes, std::string& storage) {
  if (bytes.starts_with(kLittleMark) || bytes.starts_with(kBigMark)) {
    const auto order = bytes.starts_with(kBigMark) ? ByteOrder::kBig : ByteOrder::kLittle;
    storage = utf16_to_utf8(bytes.substr(kBigMark.size()), order);
    bytes = storage;
  } else if (bytes.starts_with(kUtf8Mark)) {
    bytes.remove_prefix(kUtf8Mark.size());
  } else if (bytes.contains('\0')) {
    const auto order = utf16_without_mark(bytes);
    if (!order) return std::nullopt;
    storage = utf16_to_utf8(bytes, *order);
    bytes = storage;
  }
  const auto text = decode_bytes(bytes, storage);
  if (!text) return std::nullopt;
  return with_newlines(*text, storage);
}

std::optional<std::string_view> decode_file(std::string_view path, std::string_view bytes,
                                            std::string& storage) {
  const auto text = decode_text(bytes, storage);
  if (!text || !is_notebook(path)) return text;
  auto cells = notebook_text(*text);
  if (!cells) return text;
  storage = std::move(*cells);
  return storage;
}

}  // namespace quarry::corpus
