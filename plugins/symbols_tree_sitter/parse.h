/// Parsing within limits of size and time.
#ifndef QUARRY_SYMBOLS_TREE_SITTER_PARSE_H
#define QUARRY_SYMBOLS_TREE_SITTER_PARSE_H

#include "symbols_tree_sitter/budget.h"
#include "symbols_tree_sitter/handles.h"

#include <quarry/host.hpp>

#include <string_view>

namespace quarry::symbols_tree_sitter {

/// The tree of `text`, which has nodes "ERROR" where the text is not of the language. Fails beyond
/// the limits and when the call is over, which is checked every few milliseconds.
Outcome<Tree> parse(const Budget& budget, const TSLanguage* grammar, std::string_view text);

}  // namespace quarry::symbols_tree_sitter

#endif
