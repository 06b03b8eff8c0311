#include "corpus/query/citation_text.h"

#include "base/text.h"

#include <algorithm>

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

/// A fenced block or "> " lines, while they are read.
struct BlockText {
  std::string text;
  QuotationKind kind;
};

/// The lines of an answer, and the blocks of quoted text among them.
struct Layout {
  std::vector<AnswerLine> lines;
  std::vector<BlockText> blocks;

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
      blocks.push_back({{}, QuotationKind::kFence});
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
      blocks.back().text.append(text) += '\n';
    }
  }

  void add_quoted(std::string_view text) {
    if (lines.empty() || lines.back().role != Role::kQuote) {
      blocks.push_back({{}, QuotationKind::kBlock});
    }
    push(text, Role::kQuote);
    const std::string_view inner = unquoted(text);
    blocks.back().text.append(without(inner, brackets_of(inner))) += '\n';
  }

  void push(std::string_view text, Role role) {
    lines.push_back({text, role, blocks.empty() ? 0 : blocks.size() - 1});
  }

  std::string_view open_fence_;
};

class Finder {
 public:
  explicit Finder(const std::vector<AnswerLine>& lines) : lines_(lines) {}

  std::vector<CitationGroup> run() {
    std::vector<CitationGroup> found;
    for (std::size_t at = 0; at < lines_.size(); ++at) {
      if (lines_[at].role != Role::kProse && lines_[at].role != Role::kQuote) continue;
      add_line(at, brackets_of(lines_[at].text), found);
    }
    return found;
  }

 private:
  void add_line(std::size_t at, std::vector<Bracket> brackets,
                std::vector<CitationGroup>& found) const {
    const std::string_view line = lines_[at].text;
    std::size_t from = 0;  // the end of the group before
    for (std::size_t first = 0; first < brackets.size();) {
      const std::size_t last = last_of_group(line, brackets, first);
      CitationGroup group;
      for (std::size_t i = first; i <= last; ++i) {
        auto quotations = quotations_of(at, brackets[i], i == 0, i + 1 == brackets.size());
        group.citations.push_back({std::move(brackets[i].places), std::move(quotations)});
      }
      const std::size_t end = brackets[last].close + 1;
      const std::size_t next = last + 1 < brackets.size() ? brackets[last + 1].open : line.size();
      if (lines_[at].role == Role::kProse) {
        group.inline_quotations = find_inline_quotations(
            line.substr(from, brackets[first].open - from), line.substr(end, next - end),
            {.before = from > 0, .after = last + 1 < brackets.size()});
      }
      found.push_back(std::move(group));
      from = end;
      first = last + 1;
    }
  }

  /// The last of the brackets from `first` that have nothing but punctuation between them.
  static std::size_t last_of_group(std::string_view line, const std::vector<Bracket>& brackets,
                                   std::size_t first) {
    std::size_t last = first;
    while (last + 1 < brackets.size()) {
      const std::size_t end = brackets[last].close + 1;
      if (!is_punctuation(line.substr(end, brackets[last + 1].open - end))) break;
      ++last;
    }
    return last;
  }

  std::vector<std::size_t> quotations_of(std::size_t line, const Bracket& bracket, bool first,
                                         bool last) const {
    if (lines_[line].role == Role::kQuote) return {lines_[line].block};
    const std::string_view text = lines_[line].text;
    std::vector<std::size_t> found;
    if (last && is_punctuation(text.substr(bracket.close + 1))) {
      add_quotation(line + 1, line + 2, found);
    }
    // Beyond the first line the subtraction wraps to an index that no line has.
    if (first && is_punctuation(text.substr(0, bracket.open)))
      add_quotation(line - 1, line - 2, found);
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

}  // namespace

WrittenCitations find_citations(std::string_view answer) {
  Layout layout(answer);
  auto groups = Finder(layout.lines).run();
  WrittenCitations written{std::move(groups), {}};
  for (const BlockText& block : layout.blocks) {
    written.quotations.emplace_back(block.text, block.kind);
  }
  return written;
}

}  // namespace quarry::corpus
