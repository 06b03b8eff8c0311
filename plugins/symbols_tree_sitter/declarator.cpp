#include "symbols_tree_sitter/declarator.h"

#include "symbols_tree_sitter/handles.h"
#include "symbols_tree_sitter/name.h"

#include <algorithm>
#include <initializer_list>

namespace quarry::symbols_tree_sitter {
namespace {

TSNode field(TSNode node, std::string_view name) {
  return ts_node_child_by_field_name(node, name.data(), static_cast<std::uint32_t>(name.size()));
}

/// The declarator inside `node`, null if `node` has none.
TSNode inner(TSNode node) {
  const TSNode named = field(node, "declarator");
  if (!ts_node_is_null(named)) return named;
  TSNode last{};
  // By a cursor, because the runtime counts from the first child for each ts_node_child().
  TreeCursor cursor(node);
  for (bool more = cursor.first_child(); more; more = cursor.next_sibling()) {
    const TSNode child = cursor.node();
    const std::string_view type = ts_node_type(child);
    if (type.ends_with("declarator") || type.ends_with("identifier") ||
        is_one_of(type, {"operator_name", "destructor_name", "operator_cast"})) {
      last = child;
    }
  }
  return last;
}

bool is_name(std::string_view type) {
  return is_one_of(type, {"identifier", "field_identifier", "type_identifier", "operator_name",
                          "destructor_name", "primitive_type"});
}

/// Errors have names that no declaration has.
bool is_keyword(std::string_view word) {
  return is_one_of(word, {"case", "catch", "defined", "do", "else", "for", "if", "return", "sizeof",
                          "switch", "while"});
}

/// True if a declaration is "extern", which stands before its first declarator.
bool is_external(TSNode declaration, std::string_view text) {
  TreeCursor cursor(declaration);
  for (bool more = cursor.first_child(); more && cursor.field() != "declarator";
       more = cursor.next_sibling()) {
    const TSNode child = cursor.node();
    if (std::string_view(ts_node_type(child)) == "storage_class_specifier" &&
        text_of(child, text) == "extern") {
      return true;
    }
  }
  return false;
}

}  // namespace

Declared declared_by(TSNode declarator, std::string_view text) {
  Declared declared;
  TSNode node = declarator;
  while (!ts_node_is_null(node)) {
    const std::string_view type = ts_node_type(node);
    if (is_name(type)) {
      if (!is_keyword(text_of(node, text))) declared.name = node;
      break;
    }
    if (type == "qualified_identifier") {
      const TSNode scope = field(node, "scope");
      if (!ts_node_is_null(scope)) {
        const TSNode plain = field(scope, "name");
        declared.scope = text_of(ts_node_is_null(plain) ? scope : plain, text);
      }
      node = field(node, "name");
    } else if (is_one_of(type, {"template_function", "template_method", "template_type"})) {
      node = field(node, "name");
    } else if (type == "operator_cast") {
      declared.name = node;
      declared.function = true;
      break;
    } else {
      if (type == "function_declarator" || type == "abstract_function_declarator") {
        declared.function = true;
      } else if (is_one_of(type, {"pointer_declarator", "array_declarator"})) {
        declared.function = false;
      } else if (type == "init_declarator") {
        declared.initialised = true;
      }
      node = inner(node);
    }
  }
  return declared;
}

std::string kind_of(const std::string& kind, const Declared& declared, TSNode whole,
                    std::string_view text) {
  if (kind != "variable" && kind != "field") return kind;
  if (declared.function && !declared.initialised) return "declaration";
  const bool external = kind == "variable" && !declared.initialised && is_external(whole, text);
  return external ? "declaration" : kind;
}

}  // namespace quarry::symbols_tree_sitter
