#include "corpus/text/headings.h"

#include "base/text.h"
#include "corpus/text/html_text.h"

#include <algorithm>
#include <array>

namespace quarry::corpus {
namespace {

constexpr std::size_t kHeadingBytes = 300;

bool among(std::string_view value, std::initializer_list<std::string_view> set) {
  return std::ranges::find(set, value) != set.end();
}

std::size_t count_leading(std::string_view text, char c) {
  return std::min(text.find_first_not_of(c), text.size());
}

/// The level of a heading such as "## Title": the number of `mark` before the space.
std::size_t prefixed(std::string_view line, char mark) {
  const std::size_t n = count_leading(line, mark);
  return n >= 1 && n <= 6 && n < line.size() && line[n] == ' ' ? n : 0;
}

/// The character that fills `next` when it underlines `line`, or '\0'.
char underline_of(std::string_view line, std::string_view next) {
  const std::string_view title = trim(line);
  const std::string_view rule = trim(next);
  if (rule.size() < 3 || title.empty() || line.front() == ' ' || line.front() == '\t') return '\0';
  const char c = rule.front();
  if (!std::string_view("=-~^*+#\"'`:._").contains(c)) return '\0';
  if (count_leading(rule, c) != rule.size() || rule.size() + 2 < title.size()) return '\0';
  return title.find_first_not_of(c) == title.npos ? '\0' : c;
}

Heading html(std::string_view line) {
  for (std::size_t at = line.find('<'); at != line.npos; at = line.find('<', at + 1)) {
    if (at + 3 >= line.size()) break;
    const char digit = line[at + 2];
    const char after = line[at + 3];
    const bool is_heading = (line[at + 1] | 0x20) == 'h' && digit >= '1' && digit <= '6';
    if (is_heading && (after == '>' || after == ' ')) {
      return {static_cast<std::size_t>(digit - '0'), at};
    }
  }
  return {};
}

std::size_t manual(std::string_view line) {
  if (line.starts_with(".SH") || line.starts_with(".Sh")) return 1;
  return line.starts_with(".SS") || line.starts_with(".Ss") ? 2 : 0;
}

/// `text` with one space for each run of white space.
std::string with_single_spaces(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool space = std::string_view(" \t\r\n").contains(c);
    if (!space) out += c;
    if (space && !out.ends_with(' ')) out += ' ';
  }
  return out;
}

}  // namespace

Markup markup_of(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const std::size_t dot = name.rfind('.');
  if (dot == name.npos) {
    const std::string lower = to_lower(name);
    const bool prose = among(lower, {"readme", "news", "changes", "changelog", "install", "todo",
                                     "authors", "history", "license", "copying", "faq"});
    return prose ? Markup::kUnderlined : Markup::kCode;
  }
  const std::string extension = to_lower(name.substr(dot + 1));
  if (among(extension, {"md", "markdown", "mdx", "mdown", "qmd", "ipynb"}))
    return Markup::kMarkdown;
  if (among(extension, {"rst", "txt", "text", "adoc", "asciidoc", "asc", "org", "pod"})) {
    return Markup::kUnderlined;
  }
  if (among(extension, {"html", "htm", "xhtml"})) return Markup::kHtml;
  if (extension.size() == 1 && extension[0] >= '1' && extension[0] <= '9') return Markup::kManual;
  if (among(extension, {"json", "lock", "csv", "tsv", "svg", "po", "pot", "xml", "map", "yaml",
                        "yml", "sum", "log", "toml", "ini", "cfg", "conf", "css"})) {
    return Markup::kData;
  }
  return Markup::kCode;
}

Heading HeadingFinder::find(std::string_view line, std::string_view next) {
  if (markup_ == Markup::kHtml) return html(line);
  return {line.empty() ? 0 : level(line, next), 0};
}

std::size_t HeadingFinder::level(std::string_view line, std::string_view next) {
  switch (markup_) {
    case Markup::kMarkdown:
      return markdown(line, next);
    case Markup::kUnderlined:
      return underlined(line, next);
    case Markup::kManual:
      return manual(line);
    default:
      return 0;
  }
}

std::size_t HeadingFinder::markdown(std::string_view line, std::string_view next) {
  if (line.starts_with("```") || line.starts_with("~~~")) in_fence_ = !in_fence_;
  if (in_fence_) return 0;
  if (const std::size_t level = prefixed(line, '#')) return level;
  // Three dashes also end front matter and divide tables; only a title has text without '|' or ':'.
  const char rule = underline_of(line, next);
  if (rule == '=') return 1;
  return rule == '-' && line.find_first_of("|:") == line.npos ? 2 : 0;
}

std::size_t HeadingFinder::underlined(std::string_view line, std::string_view next) {
  if (const std::size_t level = prefixed(line, '=')) return level;                  // AsciiDoc
  if (const std::size_t level = prefixed(line, '*')) return level > 1 ? level : 0;  // Org
  if (line.starts_with("=head") && line.size() > 5) {                               // Pod
    return static_cast<std::size_t>(std::clamp(line[5] - '0', 1, 6));
  }
  const char rule = underline_of(line, next);
  if (rule == '\0') return 0;
  std::size_t order = underlines_.find(rule);
  if (order == underlines_.npos) {
    order = underlines_.size();
    underlines_ += rule;
  }
  return order + 1;
}

std::string_view heading_at(std::string_view text, std::size_t offset) {
  if (offset >= text.size()) return {};
  const std::string_view rest = text.substr(offset, kHeadingBytes);
  const bool is_html = rest.starts_with("<h") || rest.starts_with("<H");
  if (!is_html) return rest.substr(0, rest.find('\n'));
  return rest.substr(0, std::min(rest.find("</h"), rest.find("</H")));
}

std::string without_markup(std::string_view line) {
  std::string out = line.contains("<h") || line.contains("<H") ? with_single_spaces(html_text(line))
                                                               : std::string(line);
  std::string_view rest = out;
  for (const std::string_view mark : {".SH", ".SS", ".Sh", ".Ss", "=head1", "=head2", "=head3"}) {
    if (rest.starts_with(mark)) rest.remove_prefix(mark.size());
  }
  const std::size_t marks = std::min(rest.find_first_not_of("#=*"), rest.size());
  if (marks > 0 && marks < rest.size() && rest[marks] == ' ') rest.remove_prefix(marks);
  rest = trim(rest);
  while (!rest.empty() && std::string_view("{:(").contains(rest.back())) {
    rest = trim(rest.substr(0, rest.size() - 1));
  }
  return std::string(rest);
}

}  // namespace quarry::corpus
