#include "catalogue.h"

#include "ask.h"
#include "mcp_resources.h"
#include "principal.h"
#include "results.h"
#include "tools.h"

#include <array>
#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::transport_mcp {
namespace {

using engine_client::Outcome;
using mcp::Answer;
using mcp::Call;
using mcp::Json;

constexpr std::string_view kInstructions =
    "Quarry answers questions about source code and documentation from the sources themselves. "
    "Call listResources to see what there is, then ask with the names of the resources the "
    "question is about. Answers cite files and lines. To look yourself, use search for questions "
    "and grep for exact text, then read around a hit. Hits are path:line: text; lines without a "
    "path "
    "belong to the path above.";

constexpr std::string_view kAddResourceName = "addResource";

/// Arguments that clients add to those of the model: n8n, and Cline the last one.
constexpr std::array kAddedByClients{"toolCallId", "sessionId", "action",
                                     "chatInput",  "tool",      "task_progress"};

Answer project_refused(std::string why) {
  return Answer::failed(mcp::kInvalidParams, std::move(why));
}

Json object_of(const Outcome& value) {
  Json parsed = value ? Json::parse(*value, nullptr, false) : Json();
  return parsed.is_object() ? std::move(parsed) : Json::object();
}

}  // namespace

Catalogue::Catalogue(engine_client::EngineCalls& calls, std::string version)
    : calls_(calls),
      methods_(calls.call_and_wait("methods", "{}").value_or("{}")),
      retrieval_(calls.call_and_wait("tools", "{}").value_or("{}")) {
  described_by(calls.call_and_wait("schemas", "{}").value_or("{}"));
  offer_.name = "quarry";
  offer_.title = "Quarry";
  offer_.version = std::move(version);
  offer_.instructions = kInstructions;
  offer_.list_lifetime = std::chrono::minutes(1);
}

bool Catalogue::Described::is_field(const Json& arguments, const std::string& name) const {
  const auto found = type_fields.find(mcp::find_string(arguments, "type"));
  return found != type_fields.end() && found->second.contains(name);
}

Json Catalogue::Described::without_additions(const Tool& tool, Json arguments) const {
  const Json& known = (*tool.definition)["inputSchema"]["properties"];
  for (const char* name : kAddedByClients) {
    if (known.contains(name)) continue;
    if (tool.name == kAddResourceName && is_field(arguments, name)) continue;
    arguments.erase(name);
  }
  return arguments;
}

std::shared_ptr<const Catalogue::Described> Catalogue::described() const {
  const std::lock_guard lock(mutex_);
  return described_;
}

std::shared_ptr<const Catalogue::Described> Catalogue::described_by(const std::string& schemas) {
  auto last = described();
  if (last && last->text == schemas) return last;
  auto made = std::make_shared<const Described>(schemas, object_of(schemas), object_of(methods_),
                                                object_of(retrieval_));
  const std::lock_guard lock(mutex_);
  described_ = made;
  return made;
}

void Catalogue::list_tools(std::shared_ptr<Call> call) {
  ask_engine(call, "schemas", Json::object(), [this, call](const Outcome& schemas) {
    const auto now = schemas ? described_by(*schemas) : described();
    const bool structured = wants_structure(*call);
    std::string listed = R"({"tools":[)";
    for (const Tool& tool : now->tools.all()) {
      if (!call->caller().may(tool.right)) continue;
      listed.append(listed.ends_with('[') ? "" : ",");
      listed.append(structured ? tool.structured_text : tool.text);
    }
    return Answer::of(listed + "]}");
  });
}

std::shared_ptr<const Json> Catalogue::properties_of(std::string_view name) const {
  const auto now = described();
  const Tool* const tool = now->tools.find(name);
  if (tool == nullptr) return nullptr;
  return {tool->definition, &(*tool->definition)["inputSchema"]["properties"]};
}

void Catalogue::call_tool(std::shared_ptr<Call> call, const std::string& name, const Json& given) {
  const auto now = described();
  const Tool& tool = *now->tools.find(name);
  const Json arguments = now->without_additions(tool, given);
  if (!call->caller().may(tool.right)) {  // the same error as for an unknown tool
    return call->answer(
        Answer::failed(mcp::kInvalidParams, "there is no tool " + name + "; tools/list has them"));
  }
  const bool adds = tool.name == kAddResourceName;
  auto principal = principal_of(*call, &arguments, adds && now->is_field(arguments, kProject));
  if (!principal) return call->answer(project_refused(std::move(principal.error())));
  if (tool.name == "ask") return question(call, arguments, std::move(*principal));
  if (!tool.method.empty()) return retrieve(call, tool.method, arguments, std::move(*principal));
  if (adds) return add_resource(call, arguments, std::move(*principal), *now);
  ask_engine(call, "resources.list", with_principal(Json::object(), std::move(*principal)),
             [](const Outcome& outcome) {
               return outcome ? result_of_list(*outcome) : failure_of(outcome.error());
             });
}

void Catalogue::ask_engine(const std::shared_ptr<Call>& call, std::string_view method,
                           const Json& params, Answers answers, bool long_running) {
  if (long_running) call->open();
  const std::uint64_t handle = calls_.call(
      method, mcp::dump(params), [call, answers = std::move(answers)](const Outcome& outcome) {
        call->post([call, answers, outcome] { call->answer(answers(outcome)); });
      });
  if (long_running) call->on_end([this, handle](mcp::End) { calls_.cancel(handle); });
}

void Catalogue::question(const std::shared_ptr<Call>& call, const Json& arguments, Json principal) {
  Json params = Json::object();
  for (const char* argument : kQuestionArguments) {
    if (const Json* const value = mcp::find(arguments, argument)) params[argument] = *value;
  }
  std::make_shared<Ask>(calls_, call)
      ->begin(mcp::dump(with_ids(with_principal(std::move(params), std::move(principal)), *call)));
}

void Catalogue::retrieve(const std::shared_ptr<Call>& call, const std::string& method,
                         const Json& arguments, Json principal) {
  Json params = arguments;
  params.erase(kProject);
  params.erase(kReservedProject);
  const bool structured = wants_structure(*call);
  params["form"] = structured ? "both" : "text";
  ask_engine(
      call, method, with_ids(with_principal(std::move(params), std::move(principal)), *call),
      [structured](const Outcome& outcome) {
        if (outcome) return result_of_page(Json::parse(*outcome, nullptr, false), structured);
        Answer refused = refusal_of(outcome.error());
        return structured ? refused : without_structure(std::move(refused));
      },
      true);
  call->step("preparing the resources");
}

void Catalogue::add_resource(const std::shared_ptr<Call>& call, const Json& arguments,
                             Json principal, const Described& now) {
  Json params = arguments;
  params.erase(kReservedProject);
  if (!now.is_field(arguments, kProject)) params.erase(kProject);
  const Json* const notes = mcp::find(arguments, "notes");
  if (notes != nullptr && !now.is_field(arguments, "notes")) {
    if (!params.contains("specialNotes")) params["specialNotes"] = *notes;
    params.erase("notes");
  }
  ask_engine(
      call, "resources.add", with_principal(std::move(params), std::move(principal)),
      [](const Outcome& outcome) {
        if (!outcome) return failure_of(outcome.error());
        return result_of(Json::parse(*outcome, nullptr, false));
      },
      true);
}

void Catalogue::list_resources(std::shared_ptr<Call> call) {
  auto principal = principal_of(*call, nullptr);
  if (!principal) return call->answer(project_refused(std::move(principal.error())));
  ask_engine(call, "resources.list", with_principal(Json::object(), std::move(*principal)),
             [this, cursor = mcp::find_string(call->params(), "cursor")](const Outcome& outcome) {
               return outcome ? page_of_resources(*outcome, cursor, described()->fields)
                              : error_of(outcome.error());
             });
}

void Catalogue::read_resource(std::shared_ptr<Call> call, const std::string& uri) {
  auto principal = principal_of(*call, nullptr);
  if (!principal) return call->answer(project_refused(std::move(principal.error())));
  ask_engine(call, "resources.list", with_principal(Json::object(), std::move(*principal)),
             [uri, era = call->era()](const Outcome& outcome) {
               return outcome ? contents_of_resource(*outcome, uri, era)
                              : error_of(outcome.error());
             });
}

}  // namespace quarry::transport_mcp
