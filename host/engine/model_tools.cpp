#include "engine/model_tools.h"

#include "base/json_member.h"
#include "base/text.h"
#include "base/utf8.h"
#include "corpus/text/display.h"
#include "corpus/tools/page_text.h"

#include <algorithm>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

constexpr std::size_t kMostPlaces = 50;  // in the metadata of a result
constexpr std::size_t kTitleBytes = 80;  // of what was looked for

std::vector<const ToolRow*> offered(bool with_symbols) {
  std::vector<const ToolRow*> out;
  for (const ToolRow& row : tool_rows()) {
    if (row.run != nullptr && (with_symbols || !row.uses_symbols)) out.push_back(&row);
  }
  return out;
}

/// The keywords of a member's schema that a model needs; errors tell the others.
Json shown_rule(const Json& rule) {
  Json out = Json::object();
  for (const char* keyword : {"type", "enum", "items", "description"}) {
    if (const Json* const value = find_member(rule, keyword)) out[keyword] = *value;
  }
  // Null means the same as a member that is left out.
  if (out["type"].is_array()) out["type"] = out["type"][0];
  return out;
}

/// The schema of a tool without members that are not for models, and without the resources, which
/// the question has chosen.
Json model_schema(const ToolRow& row) {
  const Json schema = *parse_json(row.params.schema);
  Json members = Json::object();
  for (const auto& [name, rule] : schema["properties"].items()) {
    if (name != "resources" && rule.value("forModels", true)) members[name] = shown_rule(rule);
  }
  Json out{{"type", "object"}, {"properties", std::move(members)}};
  if (const Json* const required = find_member(schema, "required")) out["required"] = *required;
  return out;
}

/// What a call is about: the first of its arguments that is one.
std::string subject_of(const Json& arguments) {
  for (const char* name : {"query", "pattern", "name", "glob", "path"}) {
    const std::string text = text_of(arguments, name);
    if (!text.empty())
      return " \"" + std::string(utf8_prefix(corpus::shown(text), kTitleBytes)) + '"';
  }
  return {};
}

std::string lines_of(const Json& hit) {
  return "lines " + to_text(hit["startLine"]) + '-' + to_text(hit["endLine"]);
}

/// Such as: grep "Result<": 14 hits.
std::string title_of(const ToolRow& row, const Json& arguments, const Json& page) {
  const bool has_hits = page.contains("hits");
  const Json& results = page[has_hits ? "hits" : "entries"];
  const std::string count = has_hits && results.size() == 1
                                ? lines_of(results[0])
                                : corpus::counted(results.size(), has_hits ? "hit" : "path");
  return std::string(row.name) + subject_of(arguments) + ": " + count +
         (page["more"] ? ", and more" : "");
}

std::string metadata_of(const Json& page) {
  Json out{{"truncated", page["more"]}};
  if (const Json* const total = find_member(page, "total")) out["total"] = *total;
  if (!page.contains("hits")) return to_text(out);
  Json& places = out["passages"] = Json::array();
  for (const Json& hit : page["hits"]) {
    if (places.size() == kMostPlaces) break;
    places.push_back({{"path", hit["path"]}, {"start", hit["startLine"]}, {"end", hit["endLine"]}});
  }
  return to_text(out);
}

}  // namespace

std::string model_tools(bool with_symbols) {
  Json out = Json::array();
  for (const ToolRow* const row : offered(with_symbols)) {
    out.push_back({{"name", row->name},
                   {"description", row->description},
                   {"parameters", model_schema(*row)}});
  }
  return to_text(out);
}

const ToolRow* model_tool(std::string_view name) {
  for (const ToolRow* const row : offered(true)) {
    if (name == row->name || (name == row->other_name && !name.empty())) return row;
  }
  return nullptr;
}

Error no_model_tool(std::string_view name, bool with_symbols) {
  std::vector<std::string> names;
  for (const ToolRow* const row : offered(with_symbols)) names.emplace_back(row->name);
  return {Code::kInvalidArgument, "there is no tool \"" + std::string(name.substr(0, 64)) + "\"",
          "The tools are: " + join(names, ", ") + "."};
}

Result<ask::ToolResult> run_model_tool(const ToolRow& row, const corpus::Retrieval& retrieval,
                                       Json arguments) {
  auto checked = checked_arguments(row, std::move(arguments));
  if (!checked) return std::move(checked).error();
  auto page = row.run(retrieval, *checked);
  if (!page) return std::move(page).error();
  ask::ToolResult result{
      .output = {}, .title = title_of(row, *checked, *page), .metadata = metadata_of(*page)};
  corpus::finish_text(*page, false);
  result.output = text_of(*page, "text");
  return result;
}

}  // namespace quarry::engine
