#include "corpus/text/legacy_encoding.h"

#include "base/utf8.h"
#include "corpus/text/code_point.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <iconv.h>
#include <memory>
#include <type_traits>
#include <utility>

#include <uchardet/uchardet.h>

namespace quarry::corpus {
namespace {

/// Text that is examined: more does not change the result.
constexpr std::size_t kMostSample = 64u << 10;
/// Shorter samples are repeated up to this size, because uchardet wants several occurrences.
constexpr std::size_t kLeastSample = 1u << 10;
/// A conversion with more U+FFFD than one in this number of characters beyond ASCII is refused.
constexpr std::size_t kCharactersPerError = 16;

using Replacement = std::pair<std::string_view, const char*>;  // by its name for iconv

/// Encodings of which a superset is what files contain.
constexpr std::array<Replacement, 8> kSupersets = {{
    {"KOI8-R", "KOI8-U"},
    {"ISO-8859-1", "WINDOWS-1252"},
    {"ISO-8859-9", "WINDOWS-1254"},
    {"SHIFT_JIS", "CP932"},
    {"EUC-KR", "UHC"},
    {"GB2312", "GB18030"},
    {"BIG5", "BIG5-HKSCS"},
    {"TIS-620", "CP874"},
}};

/// Encodings that Windows-125x is taken for; only the latter has bytes from 0x80 to 0x9F.
constexpr std::array<Replacement, 4> kWindows = {{{"ISO-8859-2", "WINDOWS-1250"},
                                                  {"ISO-8859-7", "WINDOWS-1253"},
                                                  {"ISO-8859-8", "WINDOWS-1255"},
                                                  {"ISO-8859-13", "WINDOWS-1257"}}};

bool is_high_byte(char byte) {
  return static_cast<unsigned char>(byte) >= 0x80;
}

/// True for bytes from 0x80 to 0x9F.
bool is_low_half(char byte) {
  return is_high_byte(byte) && static_cast<unsigned char>(byte) < 0xA0;
}

/// Encodings that short texts in Windows-1252 are often taken for, although most of their letters
/// are bytes from 0x80 to 0x9F.
bool is_latin_of_dos(std::string_view encoding) {
  return encoding == "IBM852" || encoding == "IBM865";
}

bool is_telling(std::string_view line) {
  return line.contains('\x1B') || std::ranges::any_of(line, is_high_byte);
}

/// The lines with bytes beyond ASCII, or escapes.
std::string sample_of(std::string_view bytes) {
  std::string sample;
  while (!bytes.empty() && sample.size() < kMostSample) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size() - 1) + 1;
    const std::string_view line = bytes.substr(0, std::min(end, kMostSample));
    if (is_telling(line)) sample += line;
    bytes.remove_prefix(end);
  }
  const std::string once = sample;
  while (!once.empty() && sample.size() < kLeastSample) sample += once;
  return sample;
}

struct DeleteDetector {
  void operator()(uchardet_t detector) const { ::uchardet_delete(detector); }
};
using Detector = std::unique_ptr<std::remove_pointer_t<uchardet_t>, DeleteDetector>;

/// The name of the encoding of `bytes` for iconv; "" if it is not recognised.
std::string encoding_of(std::string_view bytes) {
  const std::string sample = sample_of(bytes);
  const Detector detector(::uchardet_new());
  if (!detector || ::uchardet_handle_data(detector.get(), sample.data(), sample.size()) != 0) {
    return {};
  }
  ::uchardet_data_end(detector.get());
  const std::string_view name = ::uchardet_get_charset(detector.get());
  const bool has_low_half = std::ranges::any_of(sample, is_low_half);
  if (is_latin_of_dos(name) && !has_low_half) return "WINDOWS-1252";
  const auto is_named = [name](const Replacement& known) { return known.first == name; };
  const auto* windows = std::ranges::find_if(kWindows, is_named);
  if (windows != kWindows.end() && has_low_half) return windows->second;
  const auto* superset = std::ranges::find_if(kSupersets, is_named);
  return superset != kSupersets.end() ? superset->second : std::string(name);
}

/// A conversion to UTF-8 by iconv.
class Conversion {
 public:
  explicit Conversion(const std::string& encoding)
      : handle_(::iconv_open("UTF-8", encoding.c_str())) {}
  ~Conversion() {
    if (is_open()) ::iconv_close(handle_);
  }
  Conversion(const Conversion&) = delete;
  Conversion& operator=(const Conversion&) = delete;

  // iconv_open() fails with a value that is no pointer.
  [[nodiscard]] bool is_open() const { return reinterpret_cast<std::intptr_t>(handle_) != -1; }

  std::string run(std::string_view bytes) {
    std::string out;
    auto* in = const_cast<char*>(bytes.data());  // iconv does not write to its input
    std::size_t left = bytes.size();
    while (left > 0) {
      if (!step(&in, &left, out) && errno != E2BIG) {
        out += kReplacement;
        ++in;
        --left;
      }
    }
    step(nullptr, nullptr, out);  // what it holds back of a composed character
    return out;
  }

 private:
  /// False, with errno, if iconv stopped before the end.
  bool step(char** in, std::size_t* left, std::string& out) {
    std::array<char, 4096> buffer;
    char* to = buffer.data();
    std::size_t space = buffer.size();
    const bool done = ::iconv(handle_, in, left, &to, &space) != static_cast<std::size_t>(-1);
    const int error = errno;
    out.append(buffer.data(), buffer.size() - space);
    errno = error;
    return done;
  }

  iconv_t handle_;
};

/// Number of U+FFFD and of C1 control characters, which no text of these encodings contains.
std::size_t errors_in(std::string_view text) {
  std::size_t errors = 0;
  for (std::size_t at = 0; (at = text.find(kReplacement, at)) != text.npos; at += 3) ++errors;
  for (std::size_t at = 0; (at = text.find('\xC2', at)) != text.npos; ++at) {
    if (at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) < 0xA0) ++errors;
  }
  return errors;
}

std::size_t characters_beyond_ascii(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char byte) { return static_cast<unsigned char>(byte) >= 0xC0; }));
}

}  // namespace

std::optional<std::string> from_legacy_encoding(std::string_view bytes) {
  const std::string encoding = encoding_of(bytes);
  if (encoding.empty() || encoding == "ASCII" || encoding.starts_with("UTF-")) return std::nullopt;
  Conversion conversion(encoding);
  if (!conversion.is_open()) return std::nullopt;
  std::string text = conversion.run(bytes);
  if (errors_in(text) * kCharactersPerError > characters_beyond_ascii(text)) return std::nullopt;
  if (!is_utf8(text)) return std::nullopt;
  return text;
}

}  // namespace quarry::corpus
