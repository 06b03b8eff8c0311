#include "corpus/query/quotation.h"

#include "base/text.h"
#include "base/utf8.h"

#include <algorithm>
#include <array>
#include <edlib.h>
#include <memory>
#include <optional>
#include <vector>

namespace quarry::corpus {
namespace {

constexpr std::size_t kMostComparedQuotation = 2000;  // bytes, of which an alignment is sought
constexpr std::size_t kMostComparedText = 64 * 1024;
constexpr std::size_t kMostNearest = 200;

bool is_decimal(char c) {
  return c >= '0' && c <= '9';
}

bool is_latin_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_in_word(char c) {
  return is_latin_letter(c) || is_decimal(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

bool is_white(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

bool is_prose(QuotationKind kind) {
  return kind == QuotationKind::kBlock || kind == QuotationKind::kProse;
}

/// A text without what does not count, and where each byte was.
struct Squeezed {
  std::string text;
  std::vector<std::uint32_t> offsets;  ///< in the original text
  std::vector<bool> after_space;       ///< white space came before this byte

  /// True if the bytes before and after this position are of one word or number.
  [[nodiscard]] bool is_inside_word(std::size_t at) const {
    if (at == 0 || at >= text.size() || after_space[at]) return false;
    if (is_in_word(text[at - 1]) && is_in_word(text[at])) return true;
    const bool point_after = at + 1 < text.size() && text[at] == '.' && is_decimal(text[at + 1]) &&
                             is_decimal(text[at - 1]) && !after_space[at + 1];
    const bool point_before = at > 1 && text[at - 1] == '.' && is_decimal(text[at - 2]) &&
                              is_decimal(text[at]) && !after_space[at - 1];
    return point_after || point_before;
  }
};

struct Form {
  std::string_view written;
  char plain;
};

/// Typographic forms of a character, all of three bytes.
constexpr std::array kForms = {Form{"“", '"'},  Form{"”", '"'}, Form{"‘", '\''},
                               Form{"’", '\''}, Form{"–", '-'}, Form{"—", '-'}};
constexpr std::size_t kFormBytes = 3;

char plain_form(std::string_view text) {
  if (text.front() != kForms.front().written.front()) return '\0';
  const std::string_view start = text.substr(0, kFormBytes);
  const auto* const form = std::ranges::find(kForms, start, &Form::written);
  return form == kForms.end() ? '\0' : form->plain;
}

Squeezed squeezed(std::string_view text, QuotationKind kind) {
  Squeezed out;
  out.text.reserve(text.size());
  bool space = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (is_white(c)) {
      space = true;
      continue;
    }
    if (is_prose(kind) && (c == '`' || c == '*')) continue;
    const char plain = plain_form(text.substr(at));
    out.text += plain == '\0' ? c : plain;
    out.offsets.push_back(static_cast<std::uint32_t>(at));
    out.after_space.push_back(space);
    space = false;
    if (plain != '\0') at += kFormBytes - 1;
  }
  return out;
}

/// The text with spaces in place of the marks at the beginning of comment lines.
std::string without_comment_marks(std::string_view text) {
  std::string out(text);
  for (std::size_t line = 0; line < out.size();) {
    std::size_t at = out.find_first_not_of(" \t", line);
    const std::size_t end = std::min(out.find('\n', line), out.size());
    const std::size_t mark = at;
    while (at < end && std::string_view("/#*-;%!<>|").contains(out[at])) ++at;
    if (mark < end && (at == end || out[at] == ' '))
      std::fill(out.begin() + static_cast<std::ptrdiff_t>(mark),
                out.begin() + static_cast<std::ptrdiff_t>(at), ' ');
    line = end + 1;
  }
  return out;
}

/// "...", "…", "// ...", "# …", "/* ... */": an omission in a quotation.
bool is_ellipsis(std::string_view squeezed_line) {
  const std::size_t first = squeezed_line.find_first_not_of("/#*-<!;%");
  if (first == std::string_view::npos) return false;
  squeezed_line.remove_prefix(first);
  const bool dots = squeezed_line.starts_with("...") || squeezed_line.starts_with("…");
  return dots && squeezed_line.substr(3).find_first_not_of("./*->") == std::string_view::npos;
}

void trim_marks(std::string& piece) {
  if (piece.starts_with('"')) piece.erase(0, 1);
  if (piece.ends_with('"')) piece.pop_back();
}

/// The parts of a quotation between lines that are ellipses.
std::vector<std::string> parts_by_line(std::string_view quotation, QuotationKind kind) {
  std::vector<std::string> parts(1);
  for (const std::string_view line : split(quotation, '\n')) {
    std::string text = squeezed(line, kind).text;
    if (is_ellipsis(text)) {
      parts.emplace_back();
    } else {
      parts.back() += text;
    }
  }
  std::ranges::for_each(parts, trim_marks);
  return parts;
}

/// The parts of a quotation between any ellipses.
std::vector<std::string> parts_by_ellipsis(std::string_view quotation, QuotationKind kind) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t at = std::min(quotation.find("..."), quotation.find("…"));
    parts.push_back(squeezed(quotation.substr(0, at), kind).text);
    if (at == std::string_view::npos) return parts;
    quotation.remove_prefix(at + 3);  // both forms have three bytes
  }
}

/// The position of `part` at or after `from` where it is made of whole words; npos if none.
std::size_t find_whole(const Squeezed& where, std::string_view part, std::size_t from) {
  for (std::size_t at = from; (at = where.text.find(part, at)) != std::string::npos; ++at) {
    if (part.empty()) return at;
    if (!where.is_inside_word(at) && !where.is_inside_word(at + part.size())) return at;
  }
  return std::string::npos;
}

std::string with_other_case(std::string_view part) {
  std::string out(part);
  if (!out.empty() && is_latin_letter(out[0])) out[0] = static_cast<char>(out[0] ^ 0x20);
  return out;
}

/// The first part that does not stand in `where` after those before it.
std::optional<std::string_view> first_missing(const Squeezed& where,
                                              const std::vector<std::string>& parts,
                                              QuotationKind kind) {
  std::size_t from = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::string_view part = parts[i];
    if (part.size() > where.text.size() + 1) return part;  // no shorter form fits either
    std::size_t at = find_whole(where, part, from);
    if (at == std::string::npos && is_prose(kind)) {
      if (i + 1 == parts.size() && !part.empty() &&
          std::string_view(".,;:!?").contains(part.back())) {
        part.remove_suffix(1);
      }
      at = find_whole(where, part, from);
      if (at == std::string::npos && i == 0) at = find_whole(where, with_other_case(part), from);
    }
    if (at == std::string::npos) return parts[i];
    from = at + part.size();
  }
  return std::nullopt;
}

/// The words of `text` that hold the bytes `first` to `last` of `where`.
std::string words_at(std::string_view text, const Squeezed& where, std::size_t first,
                     std::size_t last) {
  std::size_t begin = where.offsets[first];
  std::size_t end = last + 1 < where.offsets.size() ? where.offsets[last + 1] : text.size();
  while (begin > 0 && is_in_word(text[begin]) && is_in_word(text[begin - 1])) --begin;
  while (end < text.size() && is_in_word(text[end]) && is_in_word(text[end - 1])) ++end;
  return std::string(utf8_prefix(trim(text.substr(begin, end - begin)), kMostNearest));
}

struct FreeAlignment {
  void operator()(EdlibAlignResult* result) const { edlibFreeAlignResult(*result); }
};

ComparedQuotation nearest_to(std::string_view part, std::string_view text, const Squeezed& where) {
  const std::string_view query = part.substr(0, kMostComparedQuotation);
  const std::string_view target = std::string_view(where.text).substr(0, kMostComparedText);
  if (query.empty() || target.empty()) return {QuotationMatch::kAbsent};
  const auto most = static_cast<int>(std::max<std::size_t>(1, query.size() / 4));
  EdlibAlignResult result = edlibAlign(
      query.data(), static_cast<int>(query.size()), target.data(), static_cast<int>(target.size()),
      edlibNewAlignConfig(most, EDLIB_MODE_HW, EDLIB_TASK_LOC, nullptr, 0));
  const std::unique_ptr<EdlibAlignResult, FreeAlignment> freed(&result);
  // As many changes as bytes would make a quotation of one or two bytes near to everything.
  if (result.editDistance < 0 || result.numLocations == 0 ||
      static_cast<std::size_t>(result.editDistance) >= query.size()) {
    return {QuotationMatch::kAbsent};
  }
  // Of equally near places at the first one that which is not cut: "1.3" for "1.2", not "1.".
  int last = 0;
  while (last + 1 < result.numLocations &&
         result.startLocations[last + 1] == result.startLocations[0] &&
         result.endLocations[last + 1] - result.startLocations[0] <
             static_cast<int>(query.size())) {
    ++last;
  }
  return {QuotationMatch::kAltered,
          words_at(text, where, static_cast<std::size_t>(result.startLocations[0]),
                   static_cast<std::size_t>(result.endLocations[last]))};
}

}  // namespace

Quotation::Quotation(std::string_view text, QuotationKind kind)
    : text_(text), kind_(kind), between_lines_(parts_by_line(text, kind)) {
  if (kind == QuotationKind::kFence) return;
  between_ellipses_ = parts_by_ellipsis(text, kind);
  if (between_ellipses_.size() == 1) between_ellipses_.clear();
}

ComparedQuotation Quotation::compare(std::string_view text, bool nearest) const {
  const auto missing_in = [this](const Squeezed& where) {
    auto missing = first_missing(where, between_lines_, kind_);
    if (!missing || between_ellipses_.empty()) return missing;
    return first_missing(where, between_ellipses_, kind_);
  };
  const Squeezed where = squeezed(text, kind_);
  const auto missing = missing_in(where);
  if (!missing) return {QuotationMatch::kExact};
  if (is_prose(kind_) && !missing_in(squeezed(without_comment_marks(text), kind_))) {
    return {QuotationMatch::kExact};
  }
  return nearest ? nearest_to(*missing, text, where) : ComparedQuotation{QuotationMatch::kAbsent};
}

bool is_named_in(std::string_view name, std::string_view text) {
  if (name.empty()) return false;
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string_view::npos; ++at) {
    const std::size_t end = at + name.size();
    const bool begins = at == 0 || !is_in_word(text[at - 1]) || !is_in_word(name.front());
    const bool ends = end == text.size() || !is_in_word(text[end]) || !is_in_word(name.back());
    // "v1" is not a part of "v12".
    const bool number = end < text.size() && is_decimal(name.back()) && is_decimal(text[end]);
    if ((begins || ends) && !number) return true;
  }
  return false;
}

}  // namespace quarry::corpus
