#include "symbols-documents/markdown.h"

#include "symbols-documents/lines.h"
#include "symbols_tree_sitter/name.h"

#include <algorithm>

namespace quarry::symbols_documents {
namespace {

/// Columns before the first character that is no blank; a tab has four.
std::size_t indent_of(std::string_view line) {
  std::size_t columns = 0;
  for (const char c : line) {
    if (c == '\t') {
      columns += 4 - columns % 4;
    } else if (c == ' ') {
      ++columns;
    } else {
      break;
    }
  }
  return columns;
}

std::size_t run_of(std::string_view line, char c) {
  return std::min(line.find_first_not_of(c), line.size());
}

/// The text of "## text ##" with its level; level 0 if the line is no heading.
Heading atx_heading(std::string_view line) {
  const std::size_t level = run_of(line, '#');
  if (level == 0 || level > 6) return {{}, 0, 0};
  const std::string_view rest = line.substr(level);
  if (!rest.empty() && rest.front() != ' ' && rest.front() != '\t') return {{}, 0, 0};
  std::string_view name = without_blanks(rest);
  const auto last = name.find_last_not_of('#');
  if (last == name.npos) {
    name = {};
  } else if (last + 1 < name.size() && (name[last] == ' ' || name[last] == '\t')) {
    name = without_blanks(name.substr(0, last));
  }
  return {std::string(name), static_cast<std::uint32_t>(level), 0};
}

/// Blocks other than paragraphs that begin with this line.
bool begins_block(std::string_view line) {
  if (line.empty()) return true;
  const char c = line.front();
  if (c == '>' || c == '|' || c == '<') return true;
  if (c == '-' || c == '*' || c == '+')
    return line.size() == 1 || line[1] == ' ' || line[1] == '\t';
  const auto digits = std::min(line.find_first_not_of("0123456789"), line.size());
  if (digits == 0 || digits == line.size() || (line[digits] != '.' && line[digits] != ')')) {
    return false;
  }
  return digits + 1 == line.size() || line[digits + 1] == ' ' || line[digits + 1] == '\t';
}

class MarkdownReader {
 public:
  explicit MarkdownReader(std::string_view text) : lines_(lines_of(text)) {}

  std::vector<Heading> read() {
    for (next_ = after_front_matter(); next_ < lines_.size(); ++next_) read_line(lines_[next_]);
    return std::move(found_);
  }

 private:
  [[nodiscard]] std::size_t after_front_matter() const {
    if (lines_.empty() || lines_.front() != "---") return 0;
    const auto end = std::find(lines_.begin() + 1, lines_.end(), "---");
    return end == lines_.end() ? 0 : static_cast<std::size_t>(end - lines_.begin()) + 1;
  }

  void read_line(std::string_view line) {
    const std::string_view content = without_blanks(line);
    if (fence_ != 0) return read_fenced(line, content);
    if (comment_) return read_comment(content);
    if (indent_of(line) > 3) {
      if (!paragraph_.empty()) paragraph_ += ' ' + std::string(content);
      return;
    }
    if (!paragraph_.empty() && is_underline(content)) return add_underlined(content.front());
    if (opens_fence(content)) return;
    const Heading heading = atx_heading(content);
    if (heading.level > 0) {
      add(heading.name, heading.level, next_ + 1);
    } else if (content.starts_with("<!--")) {
      paragraph_.clear();
      read_comment(content.substr(4));
    } else if (begins_block(content)) {
      paragraph_.clear();
      in_block_ = !content.empty();
    } else if (!in_block_) {
      if (paragraph_.empty()) begin_ = next_ + 1;
      paragraph_ += (paragraph_.empty() ? "" : " ") + std::string(content);
    }
  }

  void read_fenced(std::string_view line, std::string_view content) {
    const std::size_t run = run_of(content, fence_);
    if (indent_of(line) < 4 && run >= fence_size_ && run == content.size()) fence_ = 0;
  }

  void read_comment(std::string_view content) { comment_ = content.find("-->") == content.npos; }

  bool opens_fence(std::string_view content) {
    if (content.empty() || (content.front() != '`' && content.front() != '~')) return false;
    const std::size_t run = run_of(content, content.front());
    const bool inline_code = content.front() == '`' && content.find('`', run) != content.npos;
    if (run < 3 || inline_code) return false;
    fence_ = content.front();
    fence_size_ = run;
    paragraph_.clear();
    in_block_ = false;
    return true;
  }

  [[nodiscard]] static bool is_underline(std::string_view content) {
    return !content.empty() && (content.front() == '=' || content.front() == '-') &&
           run_of(content, content.front()) == content.size();
  }

  void add_underlined(char mark) { add(paragraph_, mark == '=' ? 1 : 2, begin_); }

  void add(const std::string& text, std::uint32_t level, std::size_t line) {
    const std::string name = symbols_tree_sitter::one_line(text);
    if (!name.empty()) found_.push_back({name, level, static_cast<std::uint32_t>(line)});
    paragraph_.clear();
    in_block_ = false;
  }

  std::vector<std::string_view> lines_;
  std::size_t next_ = 0;  ///< the line that is read, from 0
  std::vector<Heading> found_;
  std::string paragraph_;  ///< before this line, empty if it begins none
  std::size_t begin_ = 1;  ///< the paragraph's first line
  bool in_block_ = false;  ///< a quotation, list or table, which an empty line ends
  bool comment_ = false;
  char fence_ = 0;
  std::size_t fence_size_ = 0;
};

}  // namespace

std::vector<Heading> markdown_headings(std::string_view text) {
  return MarkdownReader(text).read();
}

}  // namespace quarry::symbols_documents
