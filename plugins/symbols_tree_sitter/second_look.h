/// Texts that a grammar cannot read as they are, such as C before it is preprocessed.
#ifndef QUARRY_SYMBOLS_TREE_SITTER_SECOND_LOOK_H
#define QUARRY_SYMBOLS_TREE_SITTER_SECOND_LOOK_H

#include "symbols_tree_sitter/language.h"
#include "symbols_tree_sitter/parse.h"
#include "symbols_tree_sitter/query.h"

#include <quarry/host.hpp>

#include <string_view>

namespace quarry::symbols_tree_sitter {

/// `first` is what the query found below `root`, the tree of the whole text. If that has errors,
/// the text is read again as language.second_look says, C once with the first branches of its
/// conditionals, then with others; if this has fewer errors, its findings count, and otherwise
/// `first`. Never those within "#if 0" of C.
Outcome<Findings> look_again(const Budget& budget, const Language& language, const Query& query,
                             std::string_view text, TSNode root, Findings first);

}  // namespace quarry::symbols_tree_sitter

#endif
