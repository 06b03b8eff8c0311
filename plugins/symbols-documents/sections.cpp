#include "symbols-documents/sections.h"

#include "symbols-documents/lines.h"

#include <algorithm>

namespace quarry::symbols_documents {

std::vector<symbols_tree_sitter::Definition> sections(const std::vector<Heading>& headings,
                                                      std::string_view text) {
  const auto lines = lines_of(text);
  std::vector<symbols_tree_sitter::Definition> found;
  std::vector<std::size_t> open;  // headings whose sections go on
  const auto close = [&](std::uint32_t level, std::uint32_t last) {
    while (last > 1 && without_blanks(lines[last - 1]).empty()) --last;
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
  close(0, static_cast<std::uint32_t>(lines.size()));
  return found;
}

}  // namespace quarry::symbols_documents
