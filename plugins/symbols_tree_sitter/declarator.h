/// Declarators of C and C++: the name inside "(*names[3])(int)".
#ifndef QUARRY_SYMBOLS_TREE_SITTER_DECLARATOR_H
#define QUARRY_SYMBOLS_TREE_SITTER_DECLARATOR_H

#include <string>
#include <string_view>

#include <tree_sitter/api.h>

namespace quarry::symbols_tree_sitter {

struct Declared {
  TSNode name{};          ///< null if there is none
  std::string scope;      ///< "B" of "A::B::name"
  bool function = false;  ///< declares a function, not a pointer to one
  bool initialised = false;
};

Declared declared_by(TSNode declarator, std::string_view text);

/// The kind of what `whole` declares, which its query calls `kind`: "declaration" for a function
/// or variable without its definition.
std::string kind_of(const std::string& kind, const Declared& declared, TSNode whole,
                    std::string_view text);

}  // namespace quarry::symbols_tree_sitter

#endif
