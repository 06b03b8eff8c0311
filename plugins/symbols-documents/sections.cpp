#include "symbols-documents/sections.h"

#include "symbols-documents/lines.h"

#include <algorithm>

namespace quarry::symbols_documents {
namespace {

/// The lines of a text, of which each is looked at once.
class TextLines {
 public:
  explicit TextLines(std::string_view text) : lines_(lines_of(text)) {}

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(lines_.size()); }

  /// The last line up to `line` that is not blank; 1 if there is none, but at most `line`, which is
  /// not less than in the calls before.
  std::uint32_t last_with_text(std::uint32_t line) {
    for (; read_ < line; ++read_) {
      if (!without_blanks(lines_[read_]).empty()) last_ = read_ + 1;
    }
    return std::min(line, std::max(last_, 1U));
  }

 private:
  std::vector<std::string_view> lines_;
  std::uint32_t read_ = 0;
  std::uint32_t last_ = 0;  ///< of those that were read
};

}  // namespace

std::vector<symbols_tree_sitter::Definition> sections(const std::vector<Heading>& headings,
                                                      std::string_view text) {
  TextLines lines(text);
  std::vector<symbols_tree_sitter::Definition> found;
  std::vector<std::size_t> open;  // headings whose sections go on
  const auto close = [&](std::uint32_t level, std::uint32_t last) {
    last = lines.last_with_text(last);
    while (!open.empty() && headings[open.back()].level >= level) {
      found[open.back()].last_line = std::max(last, found[open.back()].name_line);
      open.pop_back();
    }
  };
  for (const Heading& heading : headings) {
    close(heading.level, heading.line - 1);
    symbols_tree_sitter::Definition one;
    one.kind = "heading";
    one.name = heading.name;
    one.name_line = one.first_line = heading.line;
    one.parent = open.empty() ? -1 : static_cast<std::int64_t>(open.back());
    open.push_back(found.size());
    found.push_back(std::move(one));
  }
  close(0, lines.count());
  return found;
}

}  // namespace quarry::symbols_documents
