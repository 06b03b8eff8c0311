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
  for (std::uint32_t i = ts_node_named_child_count(node); i > 0; --i) {
    const TSNode child = ts_node_named_child(node, i - 1);
    const std::string_view type = ts_node_type(child);
    if (type.ends_with("declarator") || type.ends_with("identifier") ||
        is_one_of(type, {"operator_name", "destructor_name", "operator_cast"})) {
      return child;
    }
  }
  return {};
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

bool has_child(TSNode node, std::string_view type, std::string_view content,
               std::string_view text) {
  for (std::uint32_t i = 0; i < ts_node_child_count(node); ++i) {
    const TSNode child = ts_node_child(node, i);
    if (ts_node_type(child) == type && text_of(child, text) == content) return true;
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
  const bool external = kind == "variable" && !declared.initialised &&
                        has_child(whole, "storage_class_specifier", "extern", text);
  return external ? "declaration" : kind;
}

}  // namespace quarry::symbols_tree_sitter
