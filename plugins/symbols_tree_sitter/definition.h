/// A definition in a text.
#ifndef QUARRY_SYMBOLS_TREE_SITTER_DEFINITION_H
#define QUARRY_SYMBOLS_TREE_SITTER_DEFINITION_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::symbols_tree_sitter {

/// Offsets are in bytes from 0, lines count from 1.
struct Definition {
  std::string kind;
  std::string name;
  std::string scope;  ///< the name of the type that it belongs to, if that is written
  std::uint32_t name_byte = 0;
  std::uint32_t name_line = 1;
  std::uint32_t begin = 0;  ///< of the whole definition, without what leads it
  std::uint32_t end = 0;
  std::uint32_t first_line = 1;
  std::uint32_t last_line = 1;
  std::int64_t parent = -1;
  std::uint32_t pattern = 0;  ///< of the query, in its order
};

struct Region {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

/// A comment, annotation or decorator.
struct Leading {
  std::uint32_t begin = 0;
  std::uint32_t first_line = 1;
  std::uint32_t last_line = 1;
};

/// All that a query finds in a text.
struct Findings {
  std::vector<Definition> definitions;
  std::vector<Leading> leading;
  std::vector<Region> bodies;
};

}  // namespace quarry::symbols_tree_sitter

#endif
