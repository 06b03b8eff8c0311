#include "corpus/text/passages.h"

#include "base/text.h"
#include "base/utf8.h"
#include "corpus/text/definitions.h"
#include "corpus/text/headings.h"

#include <algorithm>
#include <optional>

namespace quarry::corpus {
namespace {

constexpr std::uint32_t kFewestLines = 8;  // a shorter function joins the next one
constexpr std::uint32_t kShortestSection = 3;
constexpr std::uint32_t kMostPassageLines = 60;
constexpr std::uint32_t kMostPassageBytes = 6000;
constexpr std::size_t kDeepestDefinition = 8;  // columns; deeper ones are local helpers

struct Line {
  std::string_view text;  // without newline
  std::uint32_t offset;
  std::uint32_t number;
};

std::size_t indentation(std::string_view line) {
  std::size_t columns = 0;
  for (const char c : line) {
    if (c == ' ') {
      ++columns;
    } else if (c == '\t') {
      columns += 4;
    } else {
      break;
    }
  }
  return columns;
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == line.npos;
}

/// True for a comment, decorator or attribute, which belongs to the definition directly below.
bool leads(std::string_view line) {
  const std::string_view body = line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
  switch (body.empty() ? '\0' : body.front()) {
    case '*':
    case '#':
    case ';':
    case '@':
    case '[':
    case '%':
      return true;
    case '/':
      return body.starts_with("//") || body.starts_with("/*");
    case '-':
      return body.starts_with("--");
    case '"':
      return body.starts_with("\"\"\"");
    case 't':
      return body.starts_with("template");
    default:
      return false;
  }
}

/// A definition or heading that encloses the following ones of a level greater than `level`.
struct Enclosing {
  std::size_t level;
  std::uint32_t offset;
};

/// Collects passages from the lines of one text, in order.
class Cutter {
 public:
  Cutter(std::string_view text, Passages& out) : text_(text), out_(out) {}

  void definition(const Line& line, const Definition& found) {
    out_.defined_names.push_back({line.offset, found.name});
    const std::size_t level = indentation(line.text);
    if (!found.opens_block || level > kDeepestDefinition) return;
    begin_part(lead_ ? *lead_ : line, level, line.offset, kFewestLines);
    if (found.is_container) enclosing_.push_back({level, line.offset});
  }

  void heading(const Line& line, const Heading& found) {
    const auto offset = static_cast<std::uint32_t>(line.offset + found.column);
    begin_part(line, found.level, offset, kShortestSection);
    enclosing_.push_back({found.level, offset});
  }

  /// Called for each line after definition() or heading(); cuts a passage that has become too long.
  void line(const Line& line) {
    if (is_blank(line.text)) {
      blank_ = line;
      lead_.reset();
    } else if (!leads(line.text)) {
      lead_.reset();
    } else if (!lead_) {
      lead_ = line;
    }
    const std::uint32_t lines = line.number - start_.number;
    if (lines < kMostPassageLines && line.offset - start_.offset < kMostPassageBytes) return;
    const bool good = blank_ && blank_->number > start_.number + lines / 2;
    cut(good ? *blank_ : line);
  }

  void finish() {
    if (start_.offset < text_.size()) close(static_cast<std::uint32_t>(text_.size()));
  }

 private:
  void begin_part(const Line& at, std::size_t level, std::uint32_t name, std::uint32_t fewest) {
    if (at.number >= start_.number + fewest) cut(at);
    while (!enclosing_.empty() && enclosing_.back().level >= level) enclosing_.pop_back();
    current_ = name;
    current_context_ = enclosing_.empty() ? kNowhere : enclosing_.back().offset;
    if (named_) return;
    named_ = true;
    heading_ = current_;
    context_ = current_context_;
  }

  void cut(const Line& at) {
    if (at.offset <= start_.offset) return;
    close(at.offset);
    start_ = at;
    named_ = false;
    heading_ = current_;
    context_ = current_context_;
    blank_.reset();
  }

  void close(std::uint32_t end) {
    out_.spans.push_back({start_.offset, end, start_.number, heading_, context_});
  }

  std::string_view text_;
  Passages& out_;
  Line start_{{}, 0, 1};
  std::optional<Line> blank_;
  std::optional<Line> lead_;  // first of the comment lines directly above
  std::vector<Enclosing> enclosing_;
  bool named_ = false;  // the open passage has a definition or heading of its own
  std::uint32_t heading_ = kNowhere;
  std::uint32_t context_ = kNowhere;
  std::uint32_t current_ = kNowhere;  // the last definition or heading
  std::uint32_t current_context_ = kNowhere;
};

/// Iterates over the lines of a text; peek() returns the next one.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) { next_ = read(0, 1); }

  std::optional<Line> take() {
    std::optional<Line> line = next_;
    if (line) {
      next_ = read(line->offset + line->text.size() + 1, line->number + 1);
    }
    return line;
  }
  [[nodiscard]] std::string_view peek() const { return next_ ? next_->text : std::string_view(); }

 private:
  [[nodiscard]] std::optional<Line> read(std::size_t offset, std::uint32_t number) const {
    if (offset >= text_.size()) return std::nullopt;
    const std::size_t end = std::min(text_.find('\n', offset), text_.size());
    return Line{text_.substr(offset, end - offset), static_cast<std::uint32_t>(offset), number};
  }
  std::string_view text_;
  std::optional<Line> next_;
};

}  // namespace

Passages cut_passages(std::string_view path, std::string_view text) {
  Passages out;
  Cutter cutter(text, out);
  Lines lines(text);
  HeadingFinder headings(markup_of(path));
  const bool code = markup_of(path) == Markup::kCode;
  while (const std::optional<Line> line = lines.take()) {
    if (code) {
      const Definition found = find_definition(line->text);
      if (!found.name.empty()) cutter.definition(*line, found);
    } else if (const Heading found = headings.find(line->text, lines.peek()); found.level > 0) {
      cutter.heading(*line, found);
    }
    cutter.line(*line);
  }
  cutter.finish();
  return out;
}

std::string heading_text(std::string_view text, std::uint32_t offset) {
  const std::string plain = without_markup(trim(heading_at(text, offset)));
  return std::string(utf8_prefix(trim(plain), 120));
}

std::string full_heading_text(std::string_view text, std::uint32_t heading, std::uint32_t context) {
  const std::string inner = heading_text(text, heading);
  const std::string outer = heading_text(text, context);
  if (outer.empty() || inner.empty()) return inner + outer;
  return outer + " › " + inner;
}

}  // namespace quarry::corpus
