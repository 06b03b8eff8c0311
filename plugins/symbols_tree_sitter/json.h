/// The analysers' answers as JSON.
#ifndef QUARRY_SYMBOLS_TREE_SITTER_JSON_H
#define QUARRY_SYMBOLS_TREE_SITTER_JSON_H

#include "symbols_tree_sitter/definition.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::symbols_tree_sitter {

/// {"definitions":[["function","main",3,1,9,-1],…]}
std::string definitions_json(const std::vector<Definition>& definitions);

/// {"lines":[3,9]}: the lines of ascending offsets into `text`, each once.
std::string lines_json(const std::vector<std::uint32_t>& offsets, std::string_view text);

}  // namespace quarry::symbols_tree_sitter

#endif
