/// Owners of the runtime's objects.
#ifndef QUARRY_SYMBOLS_TREE_SITTER_HANDLES_H
#define QUARRY_SYMBOLS_TREE_SITTER_HANDLES_H

#include "symbols_tree_sitter/memory.h"

#include <memory>
#include <string_view>

#include <tree_sitter/api.h>

namespace quarry::symbols_tree_sitter {

template <auto kFunction>
struct Deleter {
  template <class T>
  void operator()(T* object) const {
    if (!Memory::exhausted()) kFunction(object);
  }
};

using Parser = std::unique_ptr<TSParser, Deleter<ts_parser_delete>>;
using Tree = std::unique_ptr<TSTree, Deleter<ts_tree_delete>>;
using QueryHandle = std::unique_ptr<TSQuery, Deleter<ts_query_delete>>;
using QueryCursor = std::unique_ptr<TSQueryCursor, Deleter<ts_query_cursor_delete>>;

/// A position in a tree, which must outlive it.
class TreeCursor {
 public:
  explicit TreeCursor(TSNode node) : cursor_(ts_tree_cursor_new(node)) {}
  ~TreeCursor() {
    if (!Memory::exhausted()) ts_tree_cursor_delete(&cursor_);
  }
  TreeCursor(const TreeCursor&) = delete;
  TreeCursor& operator=(const TreeCursor&) = delete;

  [[nodiscard]] TSNode node() const { return ts_tree_cursor_current_node(&cursor_); }
  /// The name of the field that the node is in its parent; "" if it is none.
  [[nodiscard]] std::string_view field() const {
    const char* name = ts_tree_cursor_current_field_name(&cursor_);
    return name == nullptr ? std::string_view() : name;
  }
  bool first_child() { return ts_tree_cursor_goto_first_child(&cursor_); }
  bool next_sibling() { return ts_tree_cursor_goto_next_sibling(&cursor_); }
  bool parent() { return ts_tree_cursor_goto_parent(&cursor_); }

  /// The next node in the order of the text that is not below this one; false at the end.
  bool next_after() {
    while (!next_sibling()) {
      if (!parent()) return false;
    }
    return true;
  }

 private:
  TSTreeCursor cursor_;
};

inline std::string_view text_of(TSNode node, std::string_view text) {
  const auto begin = ts_node_start_byte(node);
  return text.substr(begin, ts_node_end_byte(node) - begin);
}

}  // namespace quarry::symbols_tree_sitter

#endif
