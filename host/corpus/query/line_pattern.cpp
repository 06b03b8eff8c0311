#include "corpus/query/line_pattern.h"

#include "corpus/query/class_run_finder.h"
#include "corpus/query/required_literals.h"
#include "corpus/text/line_syntax.h"
#include "corpus/text/literal_finder.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include <re2/filtered_re2.h>
#include <re2/re2.h>

namespace quarry::corpus {
namespace {

constexpr int kMostMemory = 16 << 20;
constexpr int kLeastAtom = 3;
/// Examining one line costs as much as running the automaton over this many bytes.
constexpr std::size_t kBytesPerLine = 128;
constexpr std::size_t kTrial = 16u << 10;  // bytes of a block before the cost is compared

re2::StringPiece piece(std::string_view text) {
  return {text.data(), text.size()};
}

/// The line of `block` around `at`, searching no further back than `from`, the start of a line.
std::string_view line_around(std::string_view block, std::size_t from, std::size_t at) {
  constexpr std::string_view kEnds("\n\0", 2);
  const char* const begin = block.data() + from;
  const char* start = block.data() + at;
  while (start > begin && !kEnds.contains(start[-1])) --start;
  const std::string_view rest = block.substr(at);
  const std::string_view to_newline = rest.substr(0, rest.find('\n'));
  const std::string_view tail = to_newline.substr(0, to_newline.find('\0'));
  return {start, tail.data() + tail.size()};
}

/// `line` without the carriage return of an end of line with CRLF.
std::string_view without_return(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::size_t offset_in(std::string_view block, std::string_view line) {
  return static_cast<std::size_t>(line.data() - block.data());
}

/// Offset of the next line.
std::size_t after(std::string_view block, std::string_view line) {
  return offset_in(block, line) + line.size() + 1;
}

/// The next occurrences of several literals, each searched only as far as needed.
class Places {
 public:
  Places(const std::vector<LiteralFinder>& finders, std::string_view block)
      : finders_(finders), block_(block) {
    for (const LiteralFinder& finder : finders) next_.push_back(finder.find(block, 0));
  }

  /// The first occurrence at or after `from`; npos if there is none.
  std::size_t find(std::size_t from) {
    for (std::size_t i = 0; i < next_.size(); ++i) {
      if (next_[i] < from) next_[i] = finders_[i].find(block_, from);
    }
    return *std::ranges::min_element(next_);
  }

 private:
  const std::vector<LiteralFinder>& finders_;
  std::string_view block_;
  std::vector<std::size_t> next_;
};

Error refusal(const RE2& regex) {
  if (regex.error_code() == RE2::ErrorPatternTooLarge) {
    return {Code::kInvalidArgument, "pattern: it is too large",
            "Repeat less, or search for a simpler expression first."};
  }
  std::string message = "pattern: " + regex.error();
  if (!regex.error_arg().empty()) message += " at \"" + regex.error_arg() + "\"";
  return {Code::kInvalidArgument, std::move(message),
          "RE2 syntax is accepted: no look-around and no back-references; put \\ before "
          "characters such as ( [ { * + ? to find them as they are."};
}

}  // namespace

struct LinePattern::Parts {
  re2::FilteredRE2 filter{kLeastAtom};
  std::optional<RequiredLiterals> required;
  std::vector<LiteralFinder> finders;  // every matching line contains one of them; empty = unknown
  std::optional<ClassRunFinder> run;  // every matching line contains it; used if `finders` is empty
  bool literal = false;               // every line with the literal matches
  bool text_anchors = false;
  bool folds = false;         // an atom may be spelt with kKelvin and kLongS
  bool names_return = false;  // a carriage return at the end of a line may match

  [[nodiscard]] const RE2& regex() const { return filter.GetRE2(0); }
  [[nodiscard]] bool matches_exactly(std::string_view line) const {
    return regex().Match(piece(line), 0, line.size(), RE2::UNANCHORED, nullptr, 0);
  }
  [[nodiscard]] bool matches(std::string_view line) const {
    const std::string_view text = without_return(line);
    if (matches_exactly(text)) return true;
    return names_return && text.size() != line.size() && matches_exactly(line);
  }
  template <class Find>
  void scan_places(std::string_view block, Find find, const OnLine& on_line) const;
  void scan_texts(std::string_view block, const OnLine& on_line) const;
  [[nodiscard]] bool scan_text(std::string_view text, const OnLine& on_line) const;
  [[nodiscard]] bool scan_lines(std::string_view text, const OnLine& on_line) const;
};

Result<LinePattern> LinePattern::compile(std::string_view pattern, bool ignore_case) {
  auto syntax = parse_line_syntax(pattern);
  if (!syntax) return std::move(syntax).error();
  RE2::Options options;
  options.set_log_errors(false);
  options.set_never_nl(true);
  options.set_case_sensitive(!ignore_case);
  options.set_max_mem(kMostMemory);
  const std::string source = "(?m)" + syntax->re2;
  auto parts = std::make_unique<Parts>();
  int id = 0;
  if (parts->filter.Add(source, options, &id) != RE2::NoError) {
    // Alone, it is named as it was given, unless the prefix makes it too large.
    const RE2 alone(syntax->re2, options);
    return alone.ok() ? refusal(RE2(source, options)) : refusal(alone);
  }
  std::vector<std::string> atoms;
  parts->filter.Compile(&atoms);
  parts->required.emplace(parts->filter, std::move(atoms));
  parts->text_anchors = syntax->text_anchors;
  parts->folds = ignore_case || syntax->folds;
  parts->names_return = syntax->names_return;
  parts->literal = syntax->literal && !syntax->literal->empty() && !ignore_case;
  if (parts->literal) {
    parts->finders.emplace_back(*syntax->literal, false);
  } else {
    parts->finders = parts->required->one_of(parts->folds);
  }
  if (parts->finders.empty()) parts->run = ClassRunFinder::make(required_run(pattern, ignore_case));
  return LinePattern(std::move(parts));
}

LinePattern::LinePattern(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
LinePattern::~LinePattern() = default;
LinePattern::LinePattern(LinePattern&&) noexcept = default;
LinePattern& LinePattern::operator=(LinePattern&&) noexcept = default;

std::size_t LinePattern::find(std::string_view line) const {
  re2::StringPiece match;
  const auto end = without_return(line).size();
  if (!parts_->regex().Match(piece(line), 0, end, RE2::UNANCHORED, &match, 1)) return line.npos;
  return static_cast<std::size_t>(match.data() - line.data());
}

std::optional<std::vector<bool>> LinePattern::candidates(const TrigramIndex& index,
                                                         FileId files) const {
  return parts_->required->candidates(index, files, parts_->folds);
}

void LinePattern::scan(std::string_view block, const OnLine& on_line) const {
  if (!parts_->finders.empty()) {
    Places places(parts_->finders, block);
    return parts_->scan_places(
        block, [&](std::size_t from) { return places.find(from); }, on_line);
  }
  if (parts_->run) {
    return parts_->scan_places(
        block, [&](std::size_t from) { return parts_->run->find(block, from); }, on_line);
  }
  parts_->scan_texts(block, on_line);
}

/// Examines only lines that contain a position of `find(from)`, until too many of them do not
/// match.
template <class Find>
void LinePattern::Parts::scan_places(std::string_view block, Find find,
                                     const OnLine& on_line) const {
  std::size_t misses = 0;
  for (std::size_t from = 0; from < block.size();) {
    const std::size_t at = find(from);
    if (at == block.npos) return;
    const std::string_view line = line_around(block, from, at);
    from = after(block, line);
    if (literal || matches(line)) {
      if (!on_line(line)) return;
    } else if (++misses * kBytesPerLine > from + kTrial) {
      return scan_texts(block.substr(std::min(from, block.size())), on_line);
    }
  }
}

void LinePattern::Parts::scan_texts(std::string_view block, const OnLine& on_line) const {
  while (!block.empty()) {
    const std::string_view text = block.substr(0, block.find('\0'));
    const bool by_line = text_anchors || text.contains('\r');
    const bool more = by_line ? scan_lines(text, on_line) : scan_text(text, on_line);
    if (!more) return;
    block.remove_prefix(std::min(block.size(), text.size() + 1));
  }
}

/// Runs the automaton over the whole text. A match cannot cross a newline (never_nl), and ^ and $
/// match at lines ((?m)), which knows no "\r\n".
bool LinePattern::Parts::scan_text(std::string_view text, const OnLine& on_line) const {
  for (std::size_t from = 0; from < text.size();) {
    const std::string_view rest = text.substr(from);
    re2::StringPiece match;
    if (!regex().Match(piece(rest), 0, rest.size(), RE2::UNANCHORED, &match, 1)) return true;
    const auto at = static_cast<std::size_t>(match.data() - text.data());
    // An empty match after the last newline is not on a line.
    if (at == text.size() && text.ends_with('\n')) return true;
    const std::string_view line = line_around(text, from, at);
    if (!on_line(line)) return false;
    from = after(text, line);
  }
  return true;
}

bool LinePattern::Parts::scan_lines(std::string_view text, const OnLine& on_line) const {
  for (std::size_t from = 0; from < text.size();) {
    const std::string_view line = line_around(text, from, from);
    if (matches(line) && !on_line(line)) return false;
    from = after(text, line);
  }
  return true;
}

}  // namespace quarry::corpus
