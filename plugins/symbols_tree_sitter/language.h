/// A language that tree-sitter reads: its grammar and our query for its definitions.
#ifndef QUARRY_SYMBOLS_TREE_SITTER_LANGUAGE_H
#define QUARRY_SYMBOLS_TREE_SITTER_LANGUAGE_H

#include <string_view>

#include <tree_sitter/api.h>

namespace quarry::symbols_tree_sitter {

/// How a text that has errors is read a second time.
enum class SecondLook {
  kNone,
  kPreprocessor,  ///< C: without macros and directives
  kSignatures,    ///< TypeScript: with a semicolon before a call signature "<T>(…)" on a new line
  kBodies,        ///< Kotlin: with a semicolon before the "}" of a body on one line
};

struct Language {
  std::string_view title;    ///< "C++"
  std::string_view version;  ///< of the grammar
  const TSLanguage* (*grammar)();
  /// A query of tree-sitter. A pattern's captures are:
  ///   @name        a name that is defined, one definition each
  ///   @declarator  a declarator of C, whose innermost name is defined
  ///   @scope       the name of the type to which the definition belongs, where it stands outside
  ///   @leading     a comment, annotation or decorator: belongs to the definition on the next line
  ///   @inside       a region whose variables are no definitions, such as a lambda
  ///   @_…          only for predicates
  ///   any other    the whole definition; the capture's name is the kind
  /// Predicates: #eq?, #not-eq?, #any-of?, with a capture and texts. If patterns find the same
  /// name, the first one decides.
  std::string_view query;
  SecondLook second_look = SecondLook::kNone;
};

}  // namespace quarry::symbols_tree_sitter

#endif
