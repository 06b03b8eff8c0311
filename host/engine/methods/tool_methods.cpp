#include "engine/methods/tool_methods.h"

#include "corpus/query/collection.h"
#include "engine/locking.h"
#include "engine/requests.h"

#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

constexpr std::string_view kToolsResult = R"json({
  "type": "object", "required": ["tools"],
  "properties": {"tools": {"type": "array", "items": {
    "type": "object",
    "required": ["name", "method", "right", "title", "description", "params", "result"],
    "properties": {
      "name": {"type": "string"}, "method": {"type": "string"}, "right": {"type": "string"},
      "title": {"type": "string"}, "description": {"type": "string"},
      "params": {"type": "object", "additionalProperties": {}},
      "result": {"type": "object", "additionalProperties": {}}}}}}
})json";

QuestionRequest names_in(const Json& params) {
  QuestionRequest asked;
  if (const Json* const resources = find_member(params, "resources")) {
    asked.resources = resources->get<std::vector<std::string>>();
  }
  return asked;
}

corpus::PageForm form_of(const Json& params) {
  const std::string form = text_of(params, "form");
  if (form == "text") return corpus::PageForm::kText;
  return form == "both" ? corpus::PageForm::kBoth : corpus::PageForm::kJson;
}

/// Leaves the resource whose name the argument "path" begins with, if there is one: a call that
/// reads one file waits for no other resource.
void leave_named(std::vector<ask::WantedResource>& wanted, const Json& arguments) {
  const Json* const path = find_member(arguments, "path");
  if (path == nullptr) return;
  std::vector<std::string> names;
  for (const auto& each : wanted) names.push_back(each.resource["name"]);
  const auto named = corpus::source_named_by(names, path->get_ref<const std::string&>());
  if (named) wanted = {std::move(wanted[*named])};
}

}  // namespace

ToolMethods::ToolMethods(Parts parts)
    : parts_(parts), share_(std::make_shared<ToolShare>(parts.workers)) {}

void ToolMethods::add_to(MethodTable& table) {
  table.add({.name = "tools",
             .summary = "The retrieval tools for callers that have a model of their own, each "
                        "with its method, the right that a token needs, and JSON Schemas. All "
                        "take `resources`, as question.ask does, and answer in pages of "
                        "`maxTokens`, estimated as one token for 4 bytes; `cursor` of a page "
                        "continues it.",
             .result = kToolsResult,
             .run = AtOnce{std::bind_front(&ToolMethods::describe, this)}});
  for (const ToolRow& row : tool_rows()) {
    table.add({.name = row.method,
               .summary = row.description,
               .params = row.params,
               .result = row.result,
               .run = Started{[this, &row](const Json& params, const Task& task) {
                 run(row, params, task);
               }}});
  }
}

Answer ToolMethods::describe(const Json&) const {
  Json tools = Json::array();
  for (const ToolRow& row : tool_rows()) {
    tools.push_back({{"name", row.name},
                     {"method", row.method},
                     {"right", kReadRight},
                     {"title", row.title},
                     {"description", row.description},
                     {"params", *parse_json(row.params.schema)},
                     {"result", *parse_json(row.result)}});
  }
  return to_text({{"tools", std::move(tools)}});
}

void ToolMethods::run(const ToolRow& row, const Json& params, const Task& task) {
  auto request = request_of(row, params);
  if (!request) return task.reply(std::move(request).error());
  start_tool_call({parts_.library, parts_.clock, parts_.workers, *share_, parts_.io, parts_.symbols,
                   parts_.search_models},
                  std::move(*request), task);
}

Result<ToolRequest> ToolMethods::request_of(const ToolRow& row, const Json& params) const {
  const auto now = parts_.state.now();
  Json own = params;
  own.erase("principal");
  auto arguments = checked_arguments(row, std::move(own));
  if (!arguments) return std::move(arguments).error();
  ToolRequest request{.row = &row,
                      .arguments = std::move(*arguments),
                      .caller = {},
                      .wanted = {},
                      .max_time = now->config.model.max_time,
                      .form = form_of(params),
                      .state = now};
  request.arguments.erase("resources");
  request.arguments.erase("form");
  QuestionRequest asked = names_in(params);
  const bool is_sync = row.run == nullptr;
  if (is_sync) asked.freshness = resources::Freshness::kSync;
  const auto bearer = principal_in(params);
  if (!bearer && is_sync && now->lock) return locked_update_error();
  request.locked = now->lock.has_value() && !bearer;
  Status chosen = bearer ? choose(request, asked, *bearer) : choose(request, asked);
  if (!chosen) return std::move(chosen).error();
  leave_named(request.wanted, request.arguments);
  return request;
}

Status ToolMethods::choose(ToolRequest& request, const QuestionRequest& asked) const {
  auto wanted = parts_.resources.choose(*request.state, asked);
  if (!wanted) return std::move(wanted).error();
  request.wanted = std::move(*wanted);
  return {};
}

Status ToolMethods::choose(ToolRequest& request, const QuestionRequest& asked,
                           const PrincipalRequest& bearer) const {
  const auto who = parts_.gate.principal(bearer, kReadRight);
  if (!who) return who.error();
  auto wanted = parts_.resources.choose(*request.state, asked, *who);
  if (!wanted) return std::move(wanted).error();
  auto slot = parts_.gate.opened()->begin_stream(*who);
  if (!slot) return std::move(slot).error();
  request.wanted = std::move(*wanted);
  request.slot = std::move(*slot);
  request.caller = who->token;
  return {};
}

}  // namespace quarry::engine
