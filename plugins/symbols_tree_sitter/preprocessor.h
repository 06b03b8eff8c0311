/// Texts of C and C++ with the preprocessor's lines, from which a parser without a preprocessor
/// sees as many definitions as possible.
#ifndef QUARRY_SYMBOLS_TREE_SITTER_PREPROCESSOR_H
#define QUARRY_SYMBOLS_TREE_SITTER_PREPROCESSOR_H

#include "symbols_tree_sitter/definition.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::symbols_tree_sitter {

/// A branch of a conditional, or a whole text.
struct Branch {
  Region lines;              ///< without the directives around it
  std::int32_t group = -1;   ///< the conditional
  std::uint32_t number = 0;  ///< in the conditional, from 0
  bool dead = false;         ///< of "#if 0"
};

struct Conditionals {
  std::vector<Region> directives;  ///< whole lines of #if, #else, #define and so on
  std::vector<Branch> branches;
  std::vector<std::uint32_t> sizes;  ///< branches of each group
};

/// Conditionals inside 64 others are left out.
Conditionals find_conditionals(std::string_view text);

/// The macros that directives define.
std::vector<Definition> macros_of(std::string_view text, const Conditionals& conditionals);

/// The text with its lines and offsets, without directives, with branch `number` of each
/// conditional, or with its last one, if it has fewer; branches of "#if 0" are left out.
std::string with_branches(std::string_view text, const Conditionals& conditionals,
                          std::uint32_t number);

}  // namespace quarry::symbols_tree_sitter

#endif
