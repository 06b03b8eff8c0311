/// Parsing within limits of size and time.
#ifndef QUARRY_SYMBOLS_TREE_SITTER_PARSE_H
#define QUARRY_SYMBOLS_TREE_SITTER_PARSE_H

#include "symbols_tree_sitter/handles.h"

#include <quarry/host.hpp>

#include <chrono>
#include <string_view>

namespace quarry::symbols_tree_sitter {

struct Limits {
  std::size_t text = std::size_t{8} << 20U;  ///< bytes; a tree needs some 40 times its text
  std::chrono::milliseconds time{5'000};     ///< to parse one text
};

/// The tree of `text`, which has nodes "ERROR" where the text is not of the language. Fails beyond
/// the limits and when the call is over, which is checked every few milliseconds.
Outcome<Tree> parse(const Call& call, const TSLanguage* grammar, std::string_view text,
                    const Limits& limits);

}  // namespace quarry::symbols_tree_sitter

#endif
