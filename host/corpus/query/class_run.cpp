#include "corpus/query/class_run.h"

#include "corpus/text/code_point.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace quarry::corpus {
namespace {

using Run = std::vector<ByteClass>;

constexpr unsigned kUnlimited = 1000;

/// One member of a concatenation: a class and its repetition; without a class, any text.
struct Element {
  std::optional<ByteClass> bytes;
  unsigned least = 1;
  unsigned most = 1;
};

void add_range(ByteClass& to, unsigned char first, unsigned char last) {
  for (unsigned byte = first; byte <= last; ++byte) to.ascii.set(byte);
}

ByteClass word_class() {
  ByteClass out{{}, true};
  add_range(out, 'a', 'z');
  add_range(out, 'A', 'Z');
  add_range(out, '0', '9');
  out.ascii.set('_');
  return out;
}

ByteClass digit_class() {
  ByteClass out{{}, true};
  add_range(out, '0', '9');
  return out;
}

ByteClass space_class() {
  ByteClass out{{}, true};
  add_range(out, '\t', '\r');
  out.ascii.set(' ');
  return out;
}

ByteClass complement(ByteClass bytes) {
  return {~bytes.ascii, true};
}

/// \d, \W and the like.
std::optional<ByteClass> class_escape(char kind) {
  switch (kind) {
    case 'd':
      return digit_class();
    case 'D':
      return complement(digit_class());
    case 'w':
      return word_class();
    case 'W':
      return complement(word_class());
    case 's':
      return space_class();
    case 'S':
      return complement(space_class());
    default:
      return std::nullopt;
  }
}

bool is_ascii(char byte) {
  return static_cast<unsigned char>(byte) < 0x80;
}

/// True if the script contains no ASCII character, and no character that folds to one.
bool is_foreign_script(std::string_view name) {
  constexpr std::array<std::string_view, 11> kScripts = {
      "Greek",    "Cyrillic", "Han",    "Hiragana",   "Katakana", "Hangul",
      "Armenian", "Hebrew",   "Arabic", "Devanagari", "Thai"};
  return std::ranges::find(kScripts, name) != kScripts.end();
}

bool is_plain(char byte) {
  return is_ascii(byte) && !std::string_view("\\[](){}|*+?.^$").contains(byte);
}

/// Parses an expression as a concatenation. Syntax that is not understood makes the result empty,
/// because an alternative may follow.
class Reader {
 public:
  Reader(std::string_view pattern, bool ignore_case) : rest_(pattern), ignore_case_(ignore_case) {}

  /// Empty if the expression is not understood.
  std::vector<Element> run() {
    std::vector<Element> out;
    while (!rest_.empty() && understood_) {
      if (auto element = read_one()) out.push_back(*element);
    }
    return understood_ ? out : std::vector<Element>();
  }

 private:
  /// nullopt for syntax that matches no bytes, such as an anchor.
  std::optional<Element> read_one() {
    std::optional<Element> element;
    const char first = rest_.front();
    if (first == '^' || first == '$') {
      rest_.remove_prefix(1);
    } else if (first == '.') {
      rest_.remove_prefix(1);
      element = Element{};
    } else if (first == '[') {
      element = read_bracket();
    } else if (first == '(') {
      skip_group();
      element = Element{};
    } else if (first == '\\') {
      element = read_escape();
    } else if (is_plain(first) || !is_ascii(first)) {
      element = of_code_point(*read_member());
    } else {
      understood_ = false;
    }
    if (understood_ && element) read_count(*element);
    return element;
  }

  Element of_code_point(char32_t code) const {
    ByteClass bytes;
    add_code_points(bytes, code, code);
    return {bytes, 1, 1};
  }

  void add_code_points(ByteClass& to, char32_t first, char32_t last) const {
    for (char32_t code = first; code <= std::min<char32_t>(last, 0x7f); ++code) {
      add_byte(to, static_cast<char>(code));
    }
    if (last < 0x80) return;
    to.beyond = true;
    if (!ignore_case_) return;
    const auto has = [&](char32_t code) { return first <= code && code <= last; };
    if (has(U'\u212A')) add_byte(to, 'k');
    if (has(U'\u017F')) add_byte(to, 's');
  }

  void add_byte(ByteClass& to, char byte) const {
    to.ascii.set(static_cast<unsigned char>(byte));
    const char lower = static_cast<char>(byte | 0x20);
    if (!ignore_case_ || lower < 'a' || lower > 'z') return;
    to.ascii.set(static_cast<unsigned char>(lower));
    to.ascii.set(static_cast<unsigned char>(lower & ~0x20));
    if (lower == 'k' || lower == 's') to.beyond = true;  // the Kelvin sign and the long s
  }

  std::optional<Element> read_escape() {
    const char kind = rest_.size() > 1 ? rest_[1] : '\0';
    if (kind == 'p') return read_script();
    if (kind == 'b' || kind == 'B') {
      rest_.remove_prefix(2);
      return std::nullopt;
    }
    if (auto bytes = class_escape(kind)) {
      rest_.remove_prefix(2);
      return Element{bytes, 1, 1};
    }
    if (const auto code = read_member()) return of_code_point(*code);
    give_up();
    return std::nullopt;
  }

  /// \p{Greek}.
  std::optional<Element> read_script() {
    const std::size_t end = rest_.find('}');
    if (!rest_.starts_with("\\p{") || end == rest_.npos ||
        !is_foreign_script(rest_.substr(3, end - 3))) {
      give_up();
      return std::nullopt;
    }
    rest_.remove_prefix(end + 1);
    return Element{ByteClass{{}, true}, 1, 1};
  }

  std::optional<Element> read_bracket() {
    rest_.remove_prefix(1);
    const bool negated = rest_.starts_with('^');
    if (negated) rest_.remove_prefix(1);
    ByteClass bytes;
    bool first = true;
    for (; understood_ && (first || !rest_.starts_with(']')); first = false) add_member(bytes);
    if (!understood_) return std::nullopt;
    rest_.remove_prefix(1);
    return Element{negated ? complement(bytes) : bytes, 1, 1};
  }

  void add_member(ByteClass& to) {
    if (rest_.empty() || rest_.starts_with("[:")) return give_up();
    if (rest_.front() == '\\' && rest_.size() > 1) {
      if (rest_[1] == 'p') {
        if (read_script()) to.beyond = true;
        return;
      }
      if (const auto bytes = class_escape(rest_[1])) {
        rest_.remove_prefix(2);
        to.ascii |= bytes->ascii;
        to.beyond = true;
        return;
      }
    }
    const auto first = read_member();
    if (!first) return give_up();
    const bool is_range = rest_.size() >= 2 && rest_[0] == '-' && rest_[1] != ']';
    if (!is_range) return add_code_points(to, *first, *first);
    rest_.remove_prefix(1);
    const auto last = read_member();
    if (!last || *last < *first) return give_up();
    add_code_points(to, *first, *last);
  }

  /// A literal character, or \x41, \x{e9}, \u00e9, \u{e9}, \t or \-.
  std::optional<char32_t> read_member() {
    if (rest_.empty()) return std::nullopt;
    if (rest_.front() == '\\') return read_escaped_member();
    const CodePoint first = code_point(rest_);
    rest_.remove_prefix(first.bytes);
    return first.value;
  }

  std::optional<char32_t> read_escaped_member() {
    const char kind = rest_.size() > 1 ? rest_[1] : '\0';
    if (kind == 'x' || kind == 'u') return read_number(kind == 'x' ? 2 : 4);
    const bool is_itself = is_ascii(kind) && std::ispunct(static_cast<unsigned char>(kind)) != 0;
    if (kind != 't' && !is_itself) return std::nullopt;
    rest_.remove_prefix(2);
    return static_cast<char32_t>(kind == 't' ? '\t' : kind);
  }

  std::optional<char32_t> read_number(std::size_t digits) {
    const bool braced = rest_.size() > 2 && rest_[2] == '{';
    const std::size_t begin = braced ? 3 : 2;
    const std::size_t end = braced ? rest_.find('}') : begin + digits;
    if (end == rest_.npos || end > rest_.size()) return std::nullopt;
    std::uint32_t code = 0;
    const auto [at, failed] = std::from_chars(rest_.data() + begin, rest_.data() + end, code, 16);
    if (failed != std::errc() || at != rest_.data() + end) return std::nullopt;
    rest_.remove_prefix(end + (braced ? 1 : 0));
    return code;
  }

  /// Skips a group of any contents except flags, which have effect beyond it.
  void skip_group() {
    unsigned depth = 0;
    do {
      if (rest_.empty() || rest_.starts_with("\\Q")) return give_up();
      const char byte = rest_.front();
      if (rest_.starts_with("(?") && !rest_.starts_with("(?:") && !rest_.starts_with("(?P<") &&
          !rest_.starts_with("(?<")) {
        return give_up();
      }
      if (byte == '[') {
        static_cast<void>(read_bracket());
        if (!understood_) return;
        continue;
      }
      rest_.remove_prefix(byte == '\\' ? std::min<std::size_t>(2, rest_.size()) : 1);
      if (byte == '(') ++depth;
      if (byte == ')') --depth;
    } while (depth > 0);
  }

  void read_count(Element& element) {
    if (rest_.empty()) return;
    const char kind = rest_.front();
    if (kind == '*' || kind == '?' || kind == '+') {
      rest_.remove_prefix(1);
      element.least = kind == '+' ? 1 : 0;
      element.most = kind == '?' ? 1 : kUnlimited;
    } else if (kind == '{') {
      read_braces(element);
    } else {
      return;
    }
    if (rest_.starts_with('?')) rest_.remove_prefix(1);  // non-greedy: the same lines
    const bool again = !rest_.empty() && std::string_view("*+?{").contains(rest_.front());
    if (again) give_up();
  }

  /// {2}, {2,} and {2,5}.
  void read_braces(Element& element) {
    const char* const end = rest_.data() + rest_.size();
    auto [at, failed] = std::from_chars(rest_.data() + 1, end, element.least);
    if (failed != std::errc()) return give_up();
    element.most = element.least;
    if (at != end && *at == ',') {
      element.most = kUnlimited;
      at = std::from_chars(at + 1, end, element.most).ptr;
    }
    if (at == end || *at != '}') return give_up();
    rest_.remove_prefix(static_cast<std::size_t>(at + 1 - rest_.data()));
  }

  void give_up() { understood_ = false; }

  std::string_view rest_;
  bool ignore_case_;
  bool understood_ = true;
};

/// The runs of consecutive bytes that every match of a concatenation contains.
std::vector<Run> runs_of(const std::vector<Element>& elements) {
  std::vector<Run> out(1);
  for (const Element& element : elements) {
    const auto copies = element.bytes ? std::min<std::size_t>(element.least, kLongestRun) : 0;
    if (copies > 0) out.back().insert(out.back().end(), copies, *element.bytes);
    const bool varies = !element.bytes || element.least != element.most || element.least > copies;
    // The next element directly follows the last copy.
    if (varies) out.push_back(copies > 0 ? Run(copies, *element.bytes) : Run());
  }
  return out;
}

/// False if a class beyond ASCII is between others: such a character has several bytes, so that its
/// neighbours are not consecutive. At either end of the run this makes no difference.
bool is_sound(std::span<const ByteClass> run) {
  const auto begin = std::ranges::find(run, false, &ByteClass::beyond);
  const auto end = std::ranges::find(begin, run.end(), true, &ByteClass::beyond);
  return std::ranges::find(end, run.end(), false, &ByteClass::beyond) == run.end();
}

}  // namespace

double share_of(const ByteClass& bytes) {
  double sum = bytes.beyond ? 3 : 0;
  for (unsigned byte = 0; byte < 128; ++byte) {
    if (!bytes.ascii[byte]) continue;
    const char c = static_cast<char>(byte);
    if (c >= 'a' && c <= 'z')
      sum += 22;
    else if (c >= 'A' && c <= 'Z')
      sum += 2.5;
    else if (c >= '0' && c <= '9')
      sum += 4;
    else if (c == ' ')
      sum += 150;
    else if (c == '\t')
      sum += 30;
    else if (c > ' ' && c < 0x7f)
      sum += 5;
  }
  return sum;
}

std::vector<ByteClass> required_run(std::string_view pattern, bool ignore_case) {
  // Examining the line around each match costs as much as scanning 256 bytes.
  constexpr double kMaxShare = 1.0 / 256;
  double best_share = kMaxShare;
  Run best;
  for (const Run& run : runs_of(Reader(pattern, ignore_case).run())) {
    for (std::size_t begin = 0; begin < run.size(); ++begin) {
      double share = 1;
      for (std::size_t end = begin; end < std::min(run.size(), begin + kLongestRun); ++end) {
        share *= share_of(run[end]) / 1000;
        const std::span window(run.data() + begin, end + 1 - begin);
        if (share >= best_share || !is_sound(window)) continue;
        best_share = share;
        best.assign(window.begin(), window.end());
      }
    }
  }
  return best;
}

}  // namespace quarry::corpus
