/// Macros of C and C++ that are not part of the syntax around them: attributes, and names that
/// stand for nothing or for whole declarations.
#ifndef QUARRY_SYMBOLS_TREE_SITTER_MACROS_H
#define QUARRY_SYMBOLS_TREE_SITTER_MACROS_H

#include <string>

namespace quarry::symbols_tree_sitter {

/// Replaces them by spaces, with their arguments. They are told by their form, "EXPORT_API" or
/// "__init", and by what stands around them: "EXPORT_API int f();", "class EXPORT_API Name {",
/// "int __init f()", "f() const NOEXCEPT;", or a line of their own. The text has no directives.
void blank_macros(std::string& text);

}  // namespace quarry::symbols_tree_sitter

#endif
