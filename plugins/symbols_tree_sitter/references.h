/// Where a name stands in a text.
#ifndef QUARRY_SYMBOLS_TREE_SITTER_REFERENCES_H
#define QUARRY_SYMBOLS_TREE_SITTER_REFERENCES_H

#include <cstdint>
#include <string_view>
#include <vector>

#include <tree_sitter/api.h>

namespace quarry::symbols_tree_sitter {

/// The offsets at which `name` stands as a whole word, ascending.
std::vector<std::uint32_t> words(std::string_view text, std::string_view name);

/// Those of `offsets` at which `name` is a name of the language: not in a comment or a text.
std::vector<std::uint32_t> names_among(const std::vector<std::uint32_t>& offsets, TSNode root,
                                       std::string_view text, std::string_view name);

}  // namespace quarry::symbols_tree_sitter

#endif
