/// Headings and the sections below them.
#ifndef QUARRY_SYMBOLS_DOCUMENTS_SECTIONS_H
#define QUARRY_SYMBOLS_DOCUMENTS_SECTIONS_H

#include "symbols_tree_sitter/definition.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::symbols_documents {

struct Heading {
  std::string name;
  std::uint32_t level = 1;  ///< 1 is the highest
  std::uint32_t line = 1;   ///< on which it begins
};

/// A definition of kind "heading" for each, to the last line with text before the next heading of
/// its level or a higher one; its parent is the heading of a higher level before it.
std::vector<symbols_tree_sitter::Definition> sections(const std::vector<Heading>& headings,
                                                      std::string_view text);

}  // namespace quarry::symbols_documents

#endif
