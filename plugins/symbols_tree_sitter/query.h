/// A language's query, compiled.
#ifndef QUARRY_SYMBOLS_TREE_SITTER_QUERY_H
#define QUARRY_SYMBOLS_TREE_SITTER_QUERY_H

#include "symbols_tree_sitter/budget.h"
#include "symbols_tree_sitter/definition.h"
#include "symbols_tree_sitter/handles.h"
#include "symbols_tree_sitter/language.h"

#include <quarry/host.hpp>

#include <string_view>
#include <vector>

namespace quarry::symbols_tree_sitter {

/// Immutable: any thread.
class Query {
 public:
  static Outcome<Query> compile(const Language& language);

  /// Everything below `root`, in no order; fails when the budget is.
  [[nodiscard]] Outcome<Findings> run(const Budget& budget, TSNode root,
                                      std::string_view text) const;

 private:
  enum class Role { kKind, kName, kDeclarator, kScope, kLeading, kInside, kNone };
  struct Capture {
    std::string_view name;
    Role role;
  };
  struct Condition {
    std::uint32_t capture;
    bool equal;  ///< to one of the texts
    std::vector<std::string_view> texts;
  };

  explicit Query(QueryHandle query) : query_(std::move(query)) {}
  void read_captures();
  void read_conditions(std::uint32_t pattern);
  [[nodiscard]] bool holds(const TSQueryMatch& match, std::string_view text) const;
  void add(const TSQueryMatch& match, std::string_view text, Findings& findings) const;
  void add_definitions(const TSQueryMatch& match, const TSQueryCapture& whole,
                       std::string_view text, Findings& findings) const;

  QueryHandle query_;
  std::vector<Capture> captures_;
  std::vector<std::vector<Condition>> conditions_;  ///< by pattern
};

}  // namespace quarry::symbols_tree_sitter

#endif
