#include "symbols_tree_sitter/query.h"

#include "symbols_tree_sitter/declarator.h"
#include "symbols_tree_sitter/name.h"

#include <algorithm>
#include <span>

namespace quarry::symbols_tree_sitter {
namespace {

/// Nested definitions that are not complete yet; beyond it the outermost are given up, so that deep
/// nesting costs no more than this factor.
constexpr std::uint32_t kOpenMatches = 256;

std::uint32_t line_of(TSPoint point) {
  return point.row + 1;
}

/// The last line with a character of the node that is no white space.
std::uint32_t last_line_of(TSNode node, std::string_view text) {
  const std::string_view whole = text_of(node, text);
  const auto last = whole.find_last_not_of(" \t\r\n\f\v");
  const auto after = last == whole.npos ? std::string_view() : whole.substr(last);
  return line_of(ts_node_end_point(node)) -
         static_cast<std::uint32_t>(std::ranges::count(after, '\n'));
}

/// A conversion operator's node also has its parameters.
std::string_view name_text(TSNode name, std::string_view text) {
  const std::string_view written = text_of(name, text);
  const bool conversion = std::string_view(ts_node_type(name)) == "operator_cast";
  return conversion ? written.substr(0, written.find('(')) : written;
}

}  // namespace

Outcome<Query> Query::compile(const Language& language) {
  std::uint32_t offset = 0;
  TSQueryError error = TSQueryErrorNone;
  QueryHandle handle(ts_query_new(language.grammar(), language.query.data(),
                                  static_cast<std::uint32_t>(language.query.size()), &offset,
                                  &error));
  if (handle == nullptr) {
    return Failure{QUARRY_INTERNAL,
                   "the query has error " + std::to_string(error) + " before \"" +
                       std::string(language.query.substr(offset, 80)) + '"',
                   {},
                   {}};
  }
  Query query(std::move(handle));
  query.read_captures();
  const auto patterns = ts_query_pattern_count(query.query_.get());
  for (std::uint32_t i = 0; i < patterns; ++i) query.read_conditions(i);
  return query;
}

void Query::read_captures() {
  for (std::uint32_t i = 0; i < ts_query_capture_count(query_.get()); ++i) {
    std::uint32_t size = 0;
    const char* data = ts_query_capture_name_for_id(query_.get(), i, &size);
    const std::string_view name(data, size);
    const Role role = name == "name"          ? Role::kName
                      : name == "declarator"  ? Role::kDeclarator
                      : name == "scope"       ? Role::kScope
                      : name == "leading"     ? Role::kLeading
                      : name == "inside"      ? Role::kInside
                      : name.starts_with('_') ? Role::kNone
                                              : Role::kKind;
    captures_.push_back({name, role});
  }
}

void Query::read_conditions(std::uint32_t pattern) {
  std::uint32_t count = 0;
  const auto* steps = ts_query_predicates_for_pattern(query_.get(), pattern, &count);
  std::vector<Condition> conditions;
  std::string_view name;
  Condition current{};
  for (const TSQueryPredicateStep& step : std::span(steps, count)) {
    std::uint32_t size = 0;
    if (step.type == TSQueryPredicateStepTypeCapture) {
      current.capture = step.value_id;
    } else if (step.type == TSQueryPredicateStepTypeString) {
      const char* data = ts_query_string_value_for_id(query_.get(), step.value_id, &size);
      if (name.empty()) {
        name = {data, size};
      } else {
        current.texts.emplace_back(data, size);
      }
    } else {
      current.equal = !name.starts_with("not-");
      conditions.push_back(std::move(current));
      current = {};
      name = {};
    }
  }
  conditions_.push_back(std::move(conditions));
}

bool Query::holds(const TSQueryMatch& match, std::string_view text) const {
  const std::span captures(match.captures, match.capture_count);
  return std::ranges::all_of(conditions_[match.pattern_index], [&](const Condition& condition) {
    const auto found = std::ranges::find(captures, condition.capture, &TSQueryCapture::index);
    if (found == captures.end()) return false;
    const bool listed =
        std::ranges::find(condition.texts, text_of(found->node, text)) != condition.texts.end();
    return listed == condition.equal;
  });
}

Outcome<Findings> Query::run(const Budget& budget, TSNode root, std::string_view text) const {
  const QueryCursor cursor(ts_query_cursor_new());
  ts_query_cursor_set_match_limit(cursor.get(), kOpenMatches);
  const auto is_over = [](TSQueryCursorState* state) {
    return static_cast<const Budget*>(state->payload)->over();
  };
  const TSQueryCursorOptions options{const_cast<Budget*>(&budget), is_over};
  ts_query_cursor_exec_with_options(cursor.get(), query_.get(), root, &options);
  Findings findings;
  TSQueryMatch match;
  while (ts_query_cursor_next_match(cursor.get(), &match)) {
    if (holds(match, text)) add(match, text, findings);
  }
  if (budget.over()) return budget.why();
  return findings;
}

void Query::add(const TSQueryMatch& match, std::string_view text, Findings& findings) const {
  for (const TSQueryCapture& capture : std::span(match.captures, match.capture_count)) {
    const auto begin = ts_node_start_byte(capture.node);
    switch (captures_[capture.index].role) {
      case Role::kKind:
        add_definitions(match, capture, text, findings);
        break;
      case Role::kLeading:
        findings.leading.push_back(
            {begin, line_of(ts_node_start_point(capture.node)), last_line_of(capture.node, text)});
        break;
      case Role::kInside:
        findings.bodies.push_back({begin, ts_node_end_byte(capture.node)});
        break;
      default:
        break;
    }
  }
}

void Query::add_definitions(const TSQueryMatch& match, const TSQueryCapture& whole,
                            std::string_view text, Findings& findings) const {
  Definition base;
  base.kind = captures_[whole.index].name;
  base.pattern = match.pattern_index;
  base.begin = ts_node_start_byte(whole.node);
  base.end = ts_node_end_byte(whole.node);
  base.first_line = line_of(ts_node_start_point(whole.node));
  base.last_line = last_line_of(whole.node, text);
  const std::span captures(match.captures, match.capture_count);
  for (const TSQueryCapture& capture : captures) {
    if (captures_[capture.index].role == Role::kScope) base.scope = text_of(capture.node, text);
  }
  for (const TSQueryCapture& capture : captures) {
    const Role role = captures_[capture.index].role;
    if (role != Role::kName && role != Role::kDeclarator) continue;
    Definition one = base;
    TSNode name = capture.node;
    if (role == Role::kDeclarator) {
      const Declared declared = declared_by(capture.node, text);
      if (ts_node_is_null(declared.name)) continue;
      name = declared.name;
      one.kind = kind_of(base.kind, declared, whole.node, text);
      if (!declared.scope.empty()) one.scope = declared.scope;
    }
    one.name = written_name(name_text(name, text));
    if (one.name.empty()) continue;
    one.name_byte = ts_node_start_byte(name);
    one.name_line = line_of(ts_node_start_point(name));
    findings.definitions.push_back(std::move(one));
  }
}

}  // namespace quarry::symbols_tree_sitter
