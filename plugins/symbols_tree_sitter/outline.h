/// From findings to definitions: order, parents, kinds by place, and leading lines.
#ifndef QUARRY_SYMBOLS_TREE_SITTER_OUTLINE_H
#define QUARRY_SYMBOLS_TREE_SITTER_OUTLINE_H

#include "symbols_tree_sitter/definition.h"

#include <string_view>
#include <vector>

namespace quarry::symbols_tree_sitter {

/// The definitions in order of their names, each once, without variables of functions. Unless
/// functions may be nested, one that stands within another is read from an error and has no parent.
std::vector<Definition> outline(Findings findings, std::string_view text, bool nested_functions);

}  // namespace quarry::symbols_tree_sitter

#endif
