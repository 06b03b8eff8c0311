#include "corpus/query/question_form.h"

#include "base/text.h"
#include "base/utf8.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>

namespace quarry::corpus {
namespace {

constexpr std::size_t kMostBytes = 64u << 10;
constexpr std::size_t kLongWords = 15;
constexpr std::size_t kIssueWords = 80;
constexpr std::size_t kIssueLines = 4;
constexpr std::size_t kMarkedIssueLines = 5;  // with headings, fences or comments

constexpr auto kCodePhrases = std::to_array<std::string_view>(
    {"where is ", "where are ", "where does ", "where do ", "which code ", "which function ",
     "which class ", "which module ", "which method ", "implement", "source code of"});
constexpr auto kDocumentPhrases = std::to_array<std::string_view>(
    {"how do i ", "how do we ", "how can i ", "how can we ", "how to ", "how should ", "what is ",
     "what are ", "what does ", "difference between", "is there a", "documented", "when must ",
     "when should ", "which option", "which page", "meaning of", "best practice"});
constexpr auto kHowToPhrases = std::to_array<std::string_view>(
    {"how do i ", "how do we ", "how can i ", "how can we ", "how to ", "is there a"});
constexpr auto kTracePhrases = std::to_array<std::string_view>(
    {"traceback (most", "\n    at ", "\n\tat ", "\", line ", "goroutine ", "backtrace:"});

/// Words in the heading of a section that describes the reporter's machine.
constexpr auto kEnvironmentHeadings = std::to_array<std::string_view>(
    {"environment", "version", "system info", "operating system", "platform", "checklist",
     "did you install", "compile time", "pre-check", "prerequisite", "before you"});
/// Names of what a line "name: value" tells about the reporter's machine.
constexpr auto kEnvironmentLabels = std::to_array<std::string_view>(
    {"version", "versions", "os",           "platform", "runtime",  "browser", "node",
     "node.js", "yarn",     "architecture", "arch",     "compiler", "system",  "distribution",
     "driver",  "php",      "ruby",         "python",   "rust",     "go",      "java",
     "jdk",     "date",     "user",         "host",     "revision", "commit",  "environment",
     "device",  "terminal", "shell",        "lang",     "module"});
constexpr auto kNoAnswers =
    std::to_array<std::string_view>({"_no response_", "no response", "n/a", "none", "_none_"});

bool has_phrase(std::string_view text, std::span<const std::string_view> some) {
  return std::ranges::any_of(some, [&](std::string_view one) { return text.contains(one); });
}

std::size_t count_words(std::string_view text) {
  std::size_t words = 0;
  bool between = true;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (between && !space) ++words;
    between = space;
  }
  return words;
}

/// Removes the next line from the front of `text`.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

/// "## Steps", "**Describe the bug**", without its marks; empty if a line is no heading.
std::string_view heading_in(std::string_view line) {
  if (line.starts_with('#')) {
    const std::size_t end = line.find_first_not_of('#');
    return end < line.size() && line[end] == ' ' ? trim(line.substr(end)) : std::string_view();
  }
  if (line.ends_with(':')) line.remove_suffix(1);
  const bool bold = line.size() > 4 && line.starts_with("**");
  if (!bold || line.find("**", 2) != line.size() - 2) return {};
  return line.substr(2, line.size() - 4);
}

bool is_check_box(std::string_view line) {
  if (line.starts_with("- ") || line.starts_with("* ")) line.remove_prefix(2);
  return line.starts_with("[ ]") || line.starts_with("[x]") || line.starts_with("[X]");
}

/// "- PHP Version: 8.2.2", "OS: Linux".
bool is_environment(std::string_view line) {
  while (!line.empty() && std::string_view("-*> `_").contains(line.front())) line.remove_prefix(1);
  const std::size_t colon = line.find(':');
  if (colon == line.npos || colon > 40 || count_words(line) > 12) return false;
  const std::string label = to_lower(line.substr(0, colon));
  return std::ranges::any_of(split(label, ' '), [](std::string_view word) {
    while (!word.empty() && std::string_view("*_`()").contains(word.back())) word.remove_suffix(1);
    return std::ranges::find(kEnvironmentLabels, word) != kEnvironmentLabels.end();
  });
}

/// A line of nothing but a tag or a rule.
bool is_mark(std::string_view line) {
  if (line.find_first_not_of("-=_* ") == line.npos) return true;
  return line.starts_with('<') && line.ends_with('>') && !line.contains(' ');
}

/// Cuts an issue into parts, line by line, and leaves out its template.
class IssueReader {
 public:
  explicit IssueReader(std::vector<QuestionPart>& parts) : parts_(parts) {}

  void read(std::string_view rest) {
    while (!rest.empty()) {
      const std::string_view line = take_line(rest);
      if (fence_.empty() && skip_comment(line, rest)) continue;
      add(line);
    }
  }

 private:
  /// Leaves out "<!-- … -->", which may end in a later line.
  bool skip_comment(std::string_view line, std::string_view& rest) {
    const std::string_view text = trim(line);
    if (!text.starts_with("<!--")) return false;
    if (text.contains("-->") || no_more_ends_) return true;
    const std::size_t end = rest.find("-->");
    no_more_ends_ = end == rest.npos;
    if (!no_more_ends_) {
      rest.remove_prefix(end + 3);
      take_line(rest);
    }
    return true;
  }

  void add(std::string_view line) {
    const std::string_view text = trim(line);
    if (text.starts_with("```") || text.starts_with("~~~")) {
      const std::string_view fence = text.substr(0, 3);
      if (fence_.empty()) {
        fence_ = fence;
      } else if (fence_ == fence) {
        fence_ = {};
      }
      return;
    }
    if (!fence_.empty()) return add_part(line, PartKind::kCode);
    const std::string_view heading = heading_in(text);
    if (!heading.empty()) {
      describes_machine_ = has_phrase(to_lower(heading), kEnvironmentHeadings);
      return;
    }
    if (text.empty() || is_check_box(text) || is_environment(text) || is_mark(text)) return;
    if (std::ranges::find(kNoAnswers, to_lower(text)) != kNoAnswers.end()) return;
    add_part(line, PartKind::kBody);
  }

  void add_part(std::string_view line, PartKind kind) {
    if (describes_machine_) return;
    for (std::size_t at; (at = link_in(line)) != line.npos;) {
      push(line.substr(0, at), kind);
      const std::size_t end = std::min(line.find_first_of(" \t()<>\"'`", at), line.size());
      push(line.substr(at, end - at), PartKind::kLink);
      line.remove_prefix(end);
    }
    push(line, kind);
  }

  static std::size_t link_in(std::string_view line) {
    return std::min(line.find("https://"), line.find("http://"));
  }

  void push(std::string_view text, PartKind kind) {
    if (!text.empty()) parts_.push_back({text, kind});
  }

  std::vector<QuestionPart>& parts_;
  std::string_view fence_;          // that is open
  bool describes_machine_ = false;  // the section
  bool no_more_ends_ = false;       // of comments, in the lines that follow
};

/// True for a line that a template or an editor of issues wrote.
bool is_template_mark(std::string_view line) {
  return line.starts_with("```") || line.starts_with("<!--") || is_check_box(line) ||
         !heading_in(line).empty();
}

/// True for a title with many words in several lines, or with fewer among a template's marks.
bool is_issue(std::string_view question) {
  std::size_t lines = 0;
  bool marked = false;
  for (std::string_view rest = question; !rest.empty();) {
    const std::string_view line = trim(take_line(rest));
    if (line.empty()) continue;
    marked = marked || (lines > 0 && is_template_mark(line));
    ++lines;
  }
  if (marked && lines >= kMarkedIssueLines) return true;
  return lines >= kIssueLines && count_words(question) >= kIssueWords;
}

bool asks_how_to(std::string_view lower) {
  return std::ranges::any_of(kHowToPhrases,
                             [&](std::string_view phrase) { return lower.starts_with(phrase); });
}

AnswerKind kind_of(QuestionShape shape, std::string_view title, std::string_view question) {
  if (shape != QuestionShape::kShort) {
    return asks_how_to(to_lower(title)) ? AnswerKind::kEither : AnswerKind::kCode;
  }
  const std::string lower = to_lower(question);
  if (has_phrase(lower, kCodePhrases)) return AnswerKind::kCode;
  if (has_phrase(lower, kDocumentPhrases)) return AnswerKind::kDocumentation;
  if (has_phrase(lower, kTracePhrases)) return AnswerKind::kCode;
  return AnswerKind::kEither;
}

}  // namespace

QuestionForm form_of(std::string_view question) {
  question = utf8_prefix(question, kMostBytes);
  question.remove_prefix(std::min(question.find_first_not_of(" \t\r\n"), question.size()));
  std::string_view rest = question;
  const std::string_view title = take_line(rest);
  QuestionForm form;
  form.parts.push_back({title, PartKind::kTitle});
  if (is_issue(question)) {
    form.shape = QuestionShape::kIssue;
    IssueReader(form.parts).read(rest);
  } else {
    if (count_words(title) >= kLongWords) form.shape = QuestionShape::kLong;
    if (!rest.empty()) form.parts.push_back({rest, PartKind::kBody});
  }
  form.answer_kind = kind_of(form.shape, title, question);
  return form;
}

std::string_view name_of(QuestionShape shape) {
  constexpr std::array<std::string_view, 3> kNames = {"short", "long", "issue"};
  return kNames[static_cast<std::size_t>(shape)];
}

std::string_view name_of(AnswerKind kind) {
  constexpr std::array<std::string_view, 3> kNames = {"either", "code", "documentation"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace quarry::corpus
