#include "model-extractive/excerpt.h"

#include "model-extractive/place.h"
#include "model-extractive/words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>

namespace quarry::extractive {
namespace {

using Lines = std::span<const NumberedLine>;

constexpr std::size_t kMostLines = 34;     // of an excerpt
constexpr std::size_t kWholeSection = 30;  // a section of so many lines is quoted whole
constexpr std::size_t kWholeDefinition = 36;
constexpr std::size_t kFewestLines = 8;  // shorter excerpts are extended
constexpr double kWorthOfALine = 0.006;  // share of the question that another line must bring
constexpr std::size_t kSentenceLines = 3;
constexpr std::size_t kNearTitle = 6;  // lines
constexpr double kFarFromTitle = 0.5;
constexpr double kTitleAnswers = 0.4;  // share in a title, whose section is quoted from it
constexpr std::string_view kCutMark = "…";

/// A range of lines, by index.
struct Range {
  std::size_t first = 0;
  std::size_t last = 0;  ///< behind the range
  [[nodiscard]] std::size_t size() const { return last - first; }
};

bool is_fence(std::string_view line) {
  const std::string_view text = trimmed(line);
  return text.starts_with("```") || text.starts_with("~~~~") || text == "----" ||
         (text.size() > 6 && text.find_first_not_of('-') == std::string_view::npos &&
          indentation(line) == 0);
}

bool is_underline(std::string_view line) {
  const std::string_view text = trimmed(line);
  return text.size() > 2 && indentation(line) == 0 &&
         std::string_view("=-~^`\"'").contains(text.front()) &&
         text.find_first_not_of(text.front()) == std::string_view::npos;
}

/// True for a title of a document: "## Name", "== Name", "=== Name ===", or an underlined line.
bool is_title(Lines lines, std::size_t at) {
  const std::string_view line = lines[at].text;
  const std::size_t marks = line.find_first_not_of(line.starts_with('=') ? '=' : '#');
  if (marks != std::string_view::npos && marks > 0 && marks < 7 && line[marks] == ' ') return true;
  if (line.starts_with(".SH") || line.starts_with(".SS") || line.starts_with("<h")) return true;
  return at + 1 < lines.size() && !is_blank(line) && indentation(line) == 0 &&
         is_underline(lines[at + 1].text) &&
         trimmed(lines[at + 1].text).size() + 3 > trimmed(line).size() &&
         trimmed(lines[at + 1].text).size() < trimmed(line).size() + 4;
}

/// True for a term of a list of definitions ("`--soft`::"), or the start of a list's entry.
bool starts_entry(std::string_view line) {
  const std::string_view text = trimmed(line);
  if (text.ends_with("::") && text.size() < 120) return true;
  const std::size_t mark = text.find_first_not_of("0123456789");
  if (mark != std::string_view::npos && mark > 0 && mark < 4 && text.substr(mark).starts_with(". "))
    return true;
  return text.starts_with("- ") || text.starts_with("* ") || text.starts_with("+ ") ||
         text.starts_with(".TP");
}

/// True for the marks of a comment without text, such as " * " or "#", and AsciiDoc's "+".
bool is_empty_comment(std::string_view line) {
  const std::string_view text = trimmed(line);
  return text == "#" || text == "//" || text == "*" || text == "+" || text == "///" ||
         text == ";" || text == "--" || text == "." || text == "//!";
}

bool is_comment(std::string_view line) {
  const std::string_view text = trimmed(line);
  return text.starts_with("//") || text.starts_with("/*") || text.starts_with("*") ||
         text.starts_with("#") || text.starts_with("--") || text.starts_with("@") ||
         text.starts_with(";;") || text.starts_with("\"\"\"");
}

/// What is known about each line.
struct View {
  Lines lines;
  bool document;
  std::vector<Match> matches;
  std::vector<bool> titles;
  std::vector<std::size_t> units;  ///< index of the first line of each
};

void add_units(View& view) {
  bool fenced = false;
  bool blank = true;  // the line before
  std::size_t inner = 0;
  for (std::size_t i = 0; i < view.lines.size(); ++i) {
    const std::string_view line = view.lines[i].text;
    const bool fence = view.document && is_fence(line) && !(i > 0 && view.titles[i - 1]);
    view.titles.push_back(view.document && !fenced && is_title(view.lines, i));
    const bool empty = is_blank(line) || is_empty_comment(line);
    if (!fenced && !empty) {
      const bool entry = view.document && starts_entry(line) && indentation(line) <= inner;
      if (blank || view.titles[i] || entry) {
        view.units.push_back(i);
        inner = indentation(line);
      }
    }
    if (fence) fenced = !fenced;
    blank = empty && !fenced;
  }
}

/// `range` without blank lines and filler at its ends.
Range stripped(const View& view, Range range) {
  const auto drop = [&](std::size_t at) {
    return is_filler(view.lines[at].text, view.document) || is_empty_comment(view.lines[at].text);
  };
  while (range.size() > 0 && drop(range.first)) ++range.first;
  while (range.size() > 0 && drop(range.last - 1)) --range.last;
  return range;
}

/// The line behind unit `unit`.
std::size_t end_of(const View& view, std::size_t unit) {
  return unit + 1 < view.units.size() ? view.units[unit + 1] : view.lines.size();
}

bool is_filled(const View& view, Range range) {
  std::size_t filler = 0;
  std::size_t text = 0;
  for (std::size_t i = range.first; i < range.last; ++i) {
    if (is_blank(view.lines[i].text)) continue;
    ++text;
    filler += is_filler(view.lines[i].text, view.document) ? 1 : 0;
  }
  return text > 0 && 2 * filler < text;
}

/// The most of the question that three consecutive lines of `range` have.
double nearness(const View& view, Range range, const Question& question) {
  double most = 0;
  for (std::size_t i = range.first; i < range.last; ++i) {
    Match match;
    for (std::size_t j = i; j < std::min(i + kSentenceLines, range.last); ++j) {
      match |= view.matches[j];
    }
    most = std::max(most, coverage(match, question));
  }
  return most;
}

/// The share of the question in the first two lines from `at`, or in the title before, which counts
/// less for what is far below it.
double lead_of(const View& view, std::size_t at, const Question& question) {
  Match first = view.matches[at];
  if (at + 1 < view.matches.size()) first |= view.matches[at + 1];
  const double own = coverage(first, question);
  for (std::size_t i = at + 1; view.document && i-- > 0;) {
    if (!view.titles[i]) continue;
    const double title = coverage(view.matches[i], question);
    return std::max(own, at - i <= kNearTitle ? title : kFarFromTitle * title);
  }
  return own;
}

double score_of(const View& view, Range range, const Match& match, const Question& question) {
  return 0.6 * coverage(match, question) + 0.5 * nearness(view, range, question) +
         0.5 * lead_of(view, range.first, question) -
         kWorthOfALine * static_cast<double>(range.size());
}

/// The `kMostLines` lines of a long unit with most of the question.
Range best_window(const View& view, Range unit, const Question& question) {
  Range best{unit.first, std::min(unit.first + kMostLines, unit.last)};
  double most = -1;
  for (Range range = best; range.last <= unit.last; ++range.first, ++range.last) {
    Match match;
    for (std::size_t i = range.first; i < range.last; ++i) match |= view.matches[i];
    const double score = score_of(view, range, match, question);
    if (score > most) {
      most = score;
      best = range;
    }
  }
  return best;
}

/// The consecutive units with most of the question's words for their length.
Range best_units(const View& view, const Question& question) {
  Range best;
  double most = -1;
  for (std::size_t from = 0; from < view.units.size(); ++from) {
    Match match;
    for (std::size_t to = from; to < view.units.size(); ++to) {
      if (to > from && view.titles[view.units[to]]) break;
      const Range range{view.units[from], end_of(view, to)};
      if (range.size() > kMostLines && to > from) break;
      for (std::size_t i = view.units[to]; i < range.last; ++i) match |= view.matches[i];
      const double score = score_of(view, range, match, question);
      if (score > most && match.any() && is_filled(view, range)) {
        most = score;
        best = range;
      }
    }
  }
  return best.size() > kMostLines ? best_window(view, best, question) : best;
}

/// The section of `at`: from its title to the next.
Range section_of(const View& view, std::size_t at) {
  Range out{at, at + 1};
  while (out.first > 0 && !view.titles[out.first]) --out.first;
  while (out.last < view.lines.size() && !view.titles[out.last]) ++out.last;
  return out;
}

/// The first units of a section, as many as an excerpt may have; the first lines of the one behind
/// the title if that alone is longer.
Range beginning_of(const View& view, Range section) {
  const std::size_t most = std::min(section.first + kMostLines, section.last);
  Range out{section.first, section.first};
  for (std::size_t unit = 0; unit < view.units.size(); ++unit) {
    const std::size_t begin = view.units[unit];
    if (begin <= section.first || begin >= most) continue;
    const std::size_t end = std::min(end_of(view, unit), section.last);
    if (end <= most || out.size() == 0) out.last = std::min(end, most);
  }
  return out.size() == 0 ? Range{section.first, most} : out;
}

Range extended_in_document(const View& view, Range range, const Question& question) {
  const Range section = section_of(view, range.first);
  const Range whole = stripped(view, section);
  if (whole.size() <= kWholeSection) return whole;
  const double title =
      view.titles[section.first] ? coverage(view.matches[section.first], question) : 0;
  if (title >= kTitleAnswers) return beginning_of(view, section);
  if (view.titles[section.first] && range.first - section.first <= kNearTitle) {
    range.first = section.first;
  }
  for (std::size_t unit = 0; unit < view.units.size(); ++unit) {
    if (view.units[unit] < range.last) continue;
    const Range current = stripped(view, range);
    const bool open = current.size() > 0 && view.lines[current.last - 1].text.ends_with(':');
    const std::size_t most = open ? kMostLines + 6 : kMostLines - 6;
    if (view.titles[view.units[unit]] || (!open && current.size() >= kFewestLines)) break;
    const std::size_t end = end_of(view, unit);
    if (end - range.first > most) break;
    range.last = end;
  }
  return range;
}

/// The definition that begins in or right before `range`, with its comment.
Range extended_in_code(const View& view, Range range, Range found) {
  while (range.first > 0 && is_comment(view.lines[range.first - 1].text) &&
         !is_filler(view.lines[range.first - 1].text, false)) {
    --range.first;
  }
  Range whole = found;
  while (whole.first > 0 && is_comment(view.lines[whole.first - 1].text) &&
         !is_filler(view.lines[whole.first - 1].text, false)) {
    --whole.first;
  }
  const bool inside = range.first >= whole.first && range.first < whole.last;
  if (inside && stripped(view, whole).size() <= kWholeDefinition) return whole;
  for (std::size_t unit = 0; unit < view.units.size(); ++unit) {
    if (view.units[unit] < range.last) continue;
    if (stripped(view, range).size() >= kFewestLines + 4) break;
    const std::size_t end = end_of(view, unit);
    if (end - range.first > kMostLines) break;
    range.last = end;
  }
  return range;
}

}  // namespace

std::string defined_name(std::string_view line) {
  static constexpr auto kBefore = std::to_array<std::string_view>(
      {"export", "default", "async", "pub", "static", "public", "private", "protected", "abstract",
       "final", "inline", "const", "unsafe", "virtual", "override", "pub(crate)", "local"});
  static constexpr auto kKeywords = std::to_array<std::string_view>(
      {"def", "class", "func", "fn", "function", "struct", "enum", "interface", "trait", "type",
       "module", "macro_rules!", "#define", "object", "record"});
  const auto among = [](std::span<const std::string_view> list, std::string_view word) {
    return std::ranges::find(list, word) != list.end();
  };
  const auto name_at = [](std::string_view text) {
    std::size_t end = 0;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 ||
                                 text[end] == '_' || text[end] == '$')) {
      ++end;
    }
    return std::string(text.substr(0, end));
  };
  std::string_view rest = trimmed(line);
  while (true) {
    const std::size_t end = rest.find(' ');
    if (end == std::string_view::npos) return {};
    const std::string_view word = rest.substr(0, end);
    if (among(kKeywords, word)) {
      rest = trimmed(rest.substr(end));
      if (word == "func" && rest.starts_with('(')) {  // the receiver of a method in Go
        const std::size_t receiver = rest.find(')');
        if (receiver == std::string_view::npos) return {};
        rest = trimmed(rest.substr(receiver + 1));
      }
      return name_at(rest);
    }
    if (!among(kBefore, word)) break;
    rest = trimmed(rest.substr(end));
  }
  // A function of C: "int parse(const char* text) {" at the left margin.
  const std::size_t open = line.find('(');
  if (open == std::string_view::npos || open == 0 || indentation(line) != 0 ||
      line.ends_with(';') ||
      line.substr(0, open).find_first_of("=#\"'.[{;:/") != std::string_view::npos) {
    return {};
  }
  std::size_t begin = open;
  while (begin > 0 && (std::isalnum(static_cast<unsigned char>(line[begin - 1])) != 0 ||
                       line[begin - 1] == '_')) {
    --begin;
  }
  return begin == 0 ? std::string() : std::string(line.substr(begin, open - begin));
}

Excerpt best_excerpt(const Passage& passage, const Question& question) {
  std::vector<NumberedLine> lines = passage.lines;
  lines.erase(std::ranges::find_if(
                  lines, [](const NumberedLine& line) { return line.text.ends_with(kCutMark); }),
              lines.end());
  if (lines.empty()) return {};
  View view{lines, is_document(passage.path), {}, {}, {}};
  for (const NumberedLine& line : lines) {
    const bool filler = is_filler(line.text, view.document);
    view.matches.push_back(filler ? Match{} : matched(line.text, question));
  }
  add_units(view);

  Excerpt out;
  out.heading = matched(passage.heading, question);
  Range range = best_units(view, question);
  if (range.size() == 0) return {};
  out.lead = lead_of(view, range.first, question);
  out.near = nearness(view, range, question);
  const auto index_of = [&](std::uint32_t number) {
    return static_cast<std::size_t>(
        std::ranges::find_if(lines,
                             [&](const NumberedLine& line) { return line.number >= number; }) -
        lines.begin());
  };
  const Range found{index_of(passage.first), index_of(passage.last + 1)};
  range = view.document ? extended_in_document(view, range, question)
                        : extended_in_code(view, range, found);
  range = stripped(view, range);
  for (std::size_t i = range.first; i < range.last; ++i) {
    out.match |= view.matches[i];
    out.lines.push_back(lines[i]);
  }
  return out;
}

}  // namespace quarry::extractive
