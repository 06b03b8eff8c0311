#include "corpus/query/collection.h"
#include "engine/locking.h"
#include "engine/methods/methods.h"
#include "engine/requests.h"
#include "engine/tool_call.h"

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

Answer describe_tools(const MethodServices&, const Json&) {
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

/// Sets the resources that the caller asked for; those of its project, and one of its token's
/// streams, for a bearer.
Status choose_resources(const MethodServices& engine, const QuestionRequest& asked,
                        const std::optional<PrincipalRequest>& bearer, ToolRequest& request) {
  std::optional<access::Principal> who;
  if (bearer) {
    auto admitted = engine.gate.principal(*bearer, kReadRight);
    if (!admitted) return std::move(admitted).error();
    who = std::move(*admitted);
  }
  auto wanted = choose_resources(engine, *request.state, asked, who);
  if (!wanted) return std::move(wanted).error();
  request.wanted = std::move(*wanted);
  if (!who) return {};
  auto slot = engine.gate.opened()->begin_stream(*who);
  if (!slot) return std::move(slot).error();
  request.slot = std::move(*slot);
  request.caller = who->token;
  return {};
}

Result<ToolRequest> request_of(const MethodServices& engine, const ToolRow& row,
                               const Json& params) {
  const auto now = engine.state.now();
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
  Status chosen = choose_resources(engine, asked, bearer, request);
  if (!chosen) return std::move(chosen).error();
  leave_named(request.wanted, request.arguments);
  return request;
}

void run_tool(const MethodServices& engine, const ToolRow& row, const Json& params,
              const Task& task) {
  auto request = request_of(engine, row, params);
  if (!request) return task.reply(std::move(request).error());
  start_tool_call(engine, std::move(*request), task);
}

}  // namespace

void add_tool_methods(MethodTable& table) {
  table.add({.name = "tools",
             .summary = "The retrieval tools for callers that have a model of their own, each "
                        "with its method, the right that a token needs, and JSON Schemas. All "
                        "take `resources`, as question.ask does, and answer in pages of "
                        "`maxTokens`, estimated as one token for 4 bytes; `cursor` of a page "
                        "continues it.",
             .result = kToolsResult,
             .run = AtOnce{describe_tools}});
  for (const ToolRow& row : tool_rows()) {
    table.add({.name = row.method,
               .summary = row.description,
               .params = row.params,
               .result = row.result,
               .run = Started{[&row](const MethodServices& engine, const Json& params,
                                     const Task& task) { run_tool(engine, row, params, task); }}});
  }
}

}  // namespace quarry::engine
