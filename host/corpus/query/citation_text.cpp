#include "corpus/query/citation_text.h"

#include "base/text.h"

#include <algorithm>
#include <iterator>

namespace quarry::corpus {
namespace {

enum class Role : std::uint8_t { kProse, kBlank, kFence, kQuote };

struct AnswerLine {
  std::string_view text;
  Role role;
  std::size_t block;  ///< index of the quotation of a kFence or kQuote line
};

/// The fence ("```" or "~~~", any length from three) at the start of a line; empty if none.
std::string_view fence_of(std::string_view line) {
  const std::string_view text = trim(line);
  if (!text.starts_with("```") && !text.starts_with("~~~")) return {};
  return text.substr(0, std::min(text.find_first_not_of(text[0]), text.size()));
}

bool closes(std::string_view fence, std::string_view open) {
  return !fence.empty() && fence[0] == open[0] && fence.size() >= open.size();
}

/// A citation in a line: positions of its brackets, and the places between them.
struct Bracket {
  std::size_t open;
  std::size_t close;
  std::vector<WrittenPlace> places;
};

/// The outermost pairs of brackets in `line` that contain places.
std::vector<Bracket> brackets_of(std::string_view line) {
  std::vector<std::size_t> open;
  std::vector<Bracket> found;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '[') open.push_back(at);
    if (line[at] != ']' || open.empty()) continue;
    const std::size_t start = open.back();
    open.pop_back();
    auto places = parse_places(line.substr(start + 1, at - start - 1));
    if (places.empty()) continue;
    // A path may contain brackets, so pairs within this one were not citations.
    while (!found.empty() && found.back().open > start) found.pop_back();
    found.push_back({start, at, std::move(places)});
  }
  return found;
}

std::string without(std::string_view line, const std::vector<Bracket>& brackets) {
  std::string out;
  std::size_t from = 0;
  for (const Bracket& bracket : brackets) {
    out += line.substr(from, bracket.open - from);
    from = bracket.close + 1;
  }
  return out + std::string(line.substr(from));
}

/// The text of a "> " line without its mark.
std::string_view unquoted(std::string_view line) {
  line = trim(line);
  while (line.starts_with('>')) line = trim(line.substr(1));
  return line;
}

/// True for punctuation that is allowed between a citation and its quotation.
bool is_filler(std::string_view text) {
  return text.find_first_not_of(" \t\r.,:;()*_-") == std::string_view::npos;
}

/// The lines of an answer, and the blocks of quoted text among them.
struct Layout {
  std::vector<AnswerLine> lines;
  std::vector<std::string> blocks;

  explicit Layout(std::string_view answer) {
    for (const std::string_view text : split(answer, '\n')) add(text);
  }

 private:
  void add(std::string_view text) {
    const std::string_view fence = fence_of(text);
    if (!open_fence_.empty()) {
      add_fenced(text, fence);
    } else if (!fence.empty()) {
      open_fence_ = fence;
      blocks.emplace_back();
      push(text, Role::kFence);
    } else if (trim(text).starts_with('>')) {
      add_quoted(text);
    } else {
      push(text, trim(text).empty() ? Role::kBlank : Role::kProse);
    }
  }

  void add_fenced(std::string_view text, std::string_view fence) {
    push(text, Role::kFence);
    if (closes(fence, open_fence_)) {
      open_fence_ = {};
    } else {
      blocks.back().append(text) += '\n';
    }
  }

  void add_quoted(std::string_view text) {
    if (lines.empty() || lines.back().role != Role::kQuote) blocks.emplace_back();
    push(text, Role::kQuote);
    const std::string_view inner = unquoted(text);
    blocks.back().append(without(inner, brackets_of(inner))) += '\n';
  }

  void push(std::string_view text, Role role) {
    lines.push_back({text, role, blocks.empty() ? 0 : blocks.size() - 1});
  }

  std::string_view open_fence_;
};

class Finder {
 public:
  explicit Finder(const std::vector<AnswerLine>& lines) : lines_(lines) {}

  std::vector<WrittenCitation> run() {
    std::vector<WrittenCitation> found;
    for (std::size_t at = 0; at < lines_.size(); ++at) {
      if (lines_[at].role != Role::kProse && lines_[at].role != Role::kQuote) continue;
      auto brackets = brackets_of(lines_[at].text);
      for (std::size_t i = 0; i < brackets.size(); ++i) {
        auto quotations = quotations_of(at, brackets[i], i == 0, i + 1 == brackets.size());
        found.push_back({std::move(brackets[i].places), std::move(quotations)});
      }
    }
    return found;
  }

 private:
  std::vector<std::size_t> quotations_of(std::size_t line, const Bracket& bracket, bool first,
                                         bool last) const {
    if (lines_[line].role == Role::kQuote) return {lines_[line].block};
    const std::string_view text = lines_[line].text;
    std::vector<std::size_t> found;
    if (last && is_filler(text.substr(bracket.close + 1))) {
      add_quotation(line + 1, line + 2, found);
    }
    // Beyond the first line the subtraction wraps to an index that no line has.
    if (first && is_filler(text.substr(0, bracket.open))) add_quotation(line - 1, line - 2, found);
    return found;
  }

  /// Adds the block at line `near`, or at `far` if `near` is blank.
  void add_quotation(std::size_t near, std::size_t far, std::vector<std::size_t>& found) const {
    if (near < lines_.size() && lines_[near].role == Role::kBlank) near = far;
    if (near >= lines_.size()) return;
    const AnswerLine& line = lines_[near];
    if (line.role == Role::kFence || line.role == Role::kQuote) found.push_back(line.block);
  }

  const std::vector<AnswerLine>& lines_;
};

std::string without_space(std::string_view text) {
  std::string out;
  std::ranges::copy_if(text, std::back_inserter(out),
                       [](char c) { return c != ' ' && (c < '\t' || c > '\r'); });
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
  for (const std::string_view mark : {"\"", "“", "”"}) {
    if (piece.starts_with(mark)) piece.erase(0, mark.size());
    if (piece.ends_with(mark)) piece.erase(piece.size() - mark.size());
  }
}

/// The parts of a quotation between its ellipses, without white space.
std::vector<std::string> parts_of(std::string_view quotation) {
  std::vector<std::string> parts(1);
  for (const std::string_view line : split(quotation, '\n')) {
    const std::string text = without_space(line);
    if (is_ellipsis(text)) {
      parts.emplace_back();
    } else {
      parts.back() += text;
    }
  }
  std::ranges::for_each(parts, trim_marks);
  return parts;
}

}  // namespace

WrittenCitations find_citations(std::string_view answer) {
  Layout layout(answer);
  auto list = Finder(layout.lines).run();
  return {std::move(list), std::move(layout.blocks)};
}

bool is_quoted_from(std::string_view quotation, std::string_view text) {
  const std::string where = without_space(text);
  std::size_t from = 0;
  for (const std::string& part : parts_of(quotation)) {
    const std::size_t at = where.find(part, from);
    if (at == std::string::npos) return false;
    from = at + part.size();
  }
  return true;
}

}  // namespace quarry::corpus
