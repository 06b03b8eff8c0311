#include "corpus/text/line_syntax.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <re2/re2.h>

namespace quarry::corpus {
namespace {

// The members of classes, for use within [...]. Source: UTS #18, annex C, as in Rust's regex.
constexpr std::string_view kWord =
    R"(\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\x{200c}\x{200d}\x{24b6}-\x{24e9})"
    R"(\x{1f130}-\x{1f149}\x{1f150}-\x{1f169}\x{1f170}-\x{1f189})";
constexpr std::string_view kSpace =
    R"(\t-\r \x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000})";
constexpr std::string_view kNotSpace =
    R"(\x{0}-\x{8}\x{e}-\x{1f}!-\x{84}\x{86}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff})"
    R"(\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{10ffff})";

bool is_beyond_ascii(char byte) {
  return static_cast<unsigned char>(byte) >= 0x80;
}

bool is_word(std::string_view character) {
  static const re2::RE2 word("[" + std::string(kWord) + "]");
  return re2::RE2::FullMatch(character, word);
}

/// True if the first character is of a word and beyond ASCII.
bool begins_with_word(std::string_view text) {
  if (text.empty() || !is_beyond_ascii(text.front())) return false;
  std::size_t end = 1;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
  return is_word(text.substr(0, end));
}

/// The same of the last.
bool ends_with_word(std::string_view text) {
  std::size_t at = text.size();
  while (at > 0 && (static_cast<unsigned char>(text[at - 1]) & 0xC0) == 0x80) --at;
  return at > 0 && at < text.size() && is_word(text.substr(at - 1));
}

bool is_punctuation(char byte) {
  return std::ispunct(static_cast<unsigned char>(byte)) != 0;
}

/// True if a backslash and `kind` denote neither a Unicode class nor the number of a character.
bool is_plain_escape(char kind) {
  return std::string_view("AbBdDEfnQrsStvwWz").contains(kind) || is_punctuation(kind);
}

/// True if `escape` begins with an escape for the carriage return.
bool is_return(std::string_view escape) {
  constexpr std::array<std::string_view, 8> kForms = {"\\r",    "\\x0d",   "\\x0D",   "\\x{d}",
                                                      "\\x{D}", "\\x{0d}", "\\x{0D}", "\\u000d"};
  return std::ranges::any_of(kForms, [&](auto form) { return escape.starts_with(form); });
}

/// Translates a pattern in one pass.
class Translator {
 public:
  explicit Translator(std::string_view pattern) : rest_(pattern) {
    out_.folds = std::ranges::any_of(pattern, is_beyond_ascii);
    out_.names_return = pattern.contains('\r');
  }

  Result<LineSyntax> run() {
    while (!rest_.empty() && !error_) step();
    if (error_) return *error_;
    if (only_text_) out_.literal = std::move(text_);
    return std::move(out_);
  }

 private:
  void step() {
    if (rest_.front() == '\\') return escape();
    if (rest_.front() == '[') return bracket();
    if (rest_.starts_with("(?")) return group();
    if (rest_.front() == '\n') return refuse_newline();
    if (std::string_view("^$.|?*+(){}").contains(rest_.front()) || rest_.front() == '\0') {
      only_text_ = false;
    }
    text_ += rest_.front();
    copy(1);
  }

  /// The character after the backslash.
  char escaped() {
    const char kind = rest_.size() > 1 ? rest_[1] : '\0';
    if (!is_plain_escape(kind)) out_.folds = true;
    if (is_return(rest_)) out_.names_return = true;
    return kind;
  }

  void escape() {
    const char kind = escaped();
    if (is_punctuation(kind)) {
      text_ += kind;
      return copy(2);
    }
    only_text_ = false;
    switch (kind) {
      case 'd':
        return replace(2, R"(\p{Nd})");
      case 'D':
        return replace(2, R"(\P{Nd})");
      case 'w':
        return replace(2, std::string("[") + std::string(kWord) + "]");
      case 'W':
        return replace(2, std::string("[^") + std::string(kWord) + "]");
      case 's':
        return replace(2, std::string("[") + std::string(kSpace) + "]");
      case 'S':
        return replace(2, std::string("[^") + std::string(kSpace) + "]");
      case 'Q':
        return quotation();
      case 'A':
      case 'z':
        out_.text_anchors = true;
        return copy(2);
      case 'n':
        return refuse_newline();
      case 'C':
        return refuse_byte();
      case 'u':
        return code_point();
      case 'b':
        return word_boundary();
      default:
        return copy(2);
    }
  }

  /// RE2 knows words of ASCII alone. At the begin and the end of a pattern the boundary of another
  /// word is matched by the character beside it, since only whole lines are found.
  void word_boundary() {
    const bool begins = out_.re2.empty() && begins_with_word(rest_.substr(2));
    const bool ends = rest_.size() == 2 && ends_with_word(out_.re2);
    const std::string other = "[^\\n" + std::string(kWord) + "]";
    if (begins) return replace(2, "(?:^|" + other + ")");
    if (ends) return replace(2, "(?:" + other + "|$)");
    copy(2);
  }

  void escape_in_bracket() {
    switch (escaped()) {
      case 'd':
        return replace(2, R"(\p{Nd})");
      case 'D':
        return replace(2, R"(\P{Nd})");
      case 'w':
        return replace(2, kWord);
      case 's':
        return replace(2, kSpace);
      case 'S':
        return replace(2, kNotSpace);
      case 'u':
        return code_point();
      default:
        return copy(2);
    }
  }

  void bracket() {
    only_text_ = false;
    copy(rest_.starts_with("[^") ? 2 : 1);
    if (rest_.starts_with(']')) copy(1);
    while (!rest_.empty() && rest_.front() != ']') {
      if (rest_.front() == '\\') {
        escape_in_bracket();
      } else if (rest_.starts_with("[:")) {
        const std::size_t end = rest_.find(":]");
        copy(end == rest_.npos ? 2 : end + 2);
      } else {
        copy(1);
      }
    }
    copy(1);
  }

  /// \u00e9 and \u{e9}, the notation of other languages for \x{e9}.
  void code_point() {
    if (rest_.starts_with("\\u{")) return replace(3, "\\x{");
    const std::string_view digits = rest_.substr(2, 4);
    const bool hexadecimal = digits.size() == 4 && std::ranges::all_of(digits, [](char byte) {
                               return std::isxdigit(static_cast<unsigned char>(byte)) != 0;
                             });
    if (!hexadecimal) return copy(2);
    replace(6, "\\x{" + std::string(digits) + "}");
  }

  void group() {
    only_text_ = false;
    if (rest_.starts_with("(?<") && !rest_.starts_with("(?<=") && !rest_.starts_with("(?<!")) {
      return replace(3, "(?P<");
    }
    const std::string_view flags = rest_.substr(2, rest_.find_first_of(":)") - 2);
    if (!flags.starts_with('P') && flags.contains('m')) out_.text_anchors = true;
    if (!flags.starts_with('P') && flags.contains('i')) out_.folds = true;
    copy(2);
  }

  void quotation() {
    const std::size_t end = rest_.find("\\E");
    if (rest_.substr(0, end).contains('\n')) return refuse_newline();
    copy(end == rest_.npos ? rest_.size() : end + 2);
  }

  void refuse_newline() {
    error_ = Error{Code::kInvalidArgument,
                   "pattern: it is matched line by line, and no line "
                   "contains a newline",
                   "Search for one of the lines, and ask for context to see those around it."};
  }
  void refuse_byte() {
    error_ = Error{Code::kInvalidArgument, "pattern: \\C is not supported",
                   "Write . for any character."};
  }

  void copy(std::size_t bytes) {
    bytes = std::min(bytes, rest_.size());
    out_.re2.append(rest_.substr(0, bytes));
    rest_.remove_prefix(bytes);
  }
  void replace(std::size_t bytes, std::string_view text) {
    out_.re2.append(text);
    rest_.remove_prefix(bytes);
  }

  std::string_view rest_;
  LineSyntax out_;
  std::string text_;
  bool only_text_ = true;
  std::optional<Error> error_;
};

}  // namespace

Result<LineSyntax> parse_line_syntax(std::string_view pattern) {
  return Translator(pattern).run();
}

}  // namespace quarry::corpus
