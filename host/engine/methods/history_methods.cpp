#include "base/decimal.h"
#include "base/json_writer.h"
#include "base/time_text.h"
#include "engine/joined_text.h"
#include "engine/methods/methods.h"
#include "engine/requests.h"
#include "engine/usage_report.h"

#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

constexpr char kSumMembers[] = R"json(
    "questions": {"type": "integer"}, "calls": {"type": "integer"},
    "inputTokens": {"type": "integer"}, "outputTokens": {"type": "integer"},
    "reasoningTokens": {"type": "integer"}, "cacheReadTokens": {"type": "integer"},
    "cacheWriteTokens": {"type": "integer"}, "costUsd": {"type": "number"})json";
constexpr char kSumNames[] =
    R"json("questions", "calls", "inputTokens", "outputTokens", "reasoningTokens",
    "cacheReadTokens", "cacheWriteTokens", "costUsd")json";

constexpr auto kUsageResult = joined(
    R"json({
  "type": "object", "required": ["since", "by", "rows", "total", "unpricedCalls"],
  "properties": {
    "since": {"type": ["string", "null"]},
    "by": {"type": "string", "description": "model, resource or day; others may follow"},
    "rows": {"type": "array", "items": {"type": "object", "required": ["key", )json",
    kSumNames, R"json(], "properties": {"key": {"type": "string"},)json", kSumMembers, R"json(}}},
    "total": {"type": "object", "required": [)json",
    kSumNames, R"json(], "properties": {)json", kSumMembers,
    R"json(}},
    "unpricedCalls": {"type": "integer"}
  }
})json");

/// A conversation in a list, without the end of the object.
constexpr char kListedMembers[] = R"json({
    "type": "object", "required": ["id", "title", "created", "updated", "turns"],
    "properties": {
      "id": {"type": "string"}, "title": {"type": "string"}, "created": {"type": "string"},
      "updated": {"type": "string"}, "turns": {"type": "integer"},
      "project": {"type": "string"}, "single": {"type": "boolean"})json";

constexpr auto kThreadsResult = joined(R"json({
  "type": "object", "required": ["threads"],
  "properties": {"threads": {"type": "array", "items": )json",
                                       kListedMembers, R"json(,
      "matches": {"type": "array", "items": {
        "type": "object", "required": ["questionId", "turn", "snippet"], "properties": {
          "questionId": {"type": "string"}, "turn": {"type": "integer", "minimum": 1},
          "snippet": {"type": "string"}}}}}}}}
})json");

constexpr auto kRenameResult = joined(kListedMembers, "}}");

constexpr std::string_view kThreadResult = R"json({
  "type": "object", "required": ["id", "title", "created", "updated", "turns"],
  "properties": {
    "id": {"type": "string"}, "title": {"type": "string"}, "created": {"type": "string"},
    "updated": {"type": "string"}, "project": {"type": "string"}, "single": {"type": "boolean"},
    "turns": {"type": "array", "items": {
      "type": "object", "required": ["question", "answer", "questionId", "resources"],
      "properties": {
        "question": {"type": "string"}, "answer": {"type": "string"},
        "questionId": {"type": "string"}, "finishReason": {"type": "string"},
        "resources": {"type": "array", "items": {"type": "string"}},
        "status": {"type": "string", "description": "answered, cut, stopped or failed"},
        "asked": {"type": "string"}, "costUsd": {"type": "number"},
        "model": {"type": "object", "required": ["provider", "model"], "properties": {
          "provider": {"type": "string"}, "model": {"type": "string"}}},
        "citations": {"type": "array", "items": {"type": "object"}},
        "tools": {"type": "array", "items": {"type": "object"}},
        "reasoning": {"type": "string"}, "steps": {"type": "integer"},
        "usage": {"type": "object"}, "metrics": {"type": "object"},
        "fallbacks": {"type": "array", "items": {"type": "object"}},
        "snapshots": {"type": "array", "items": {"type": "object"}},
        "error": {"type": "object", "required": ["tag", "code", "message"], "properties": {
          "tag": {"type": "string"}, "code": {"type": "string"}, "message": {"type": "string"},
          "hint": {"type": "string"}}}}}}
  }
})json";

constexpr std::string_view kRemoveResult = R"json({
  "type": "object", "required": ["success", "id"],
  "properties": {"success": {"type": "boolean"}, "id": {"type": "string"}}
})json";

/// All but the turns. Lists are long: with a DOM they would take three times as long.
void add_summary(JsonWriter& json, const history::ThreadSummary& thread) {
  json.member("id", thread.id).member("title", thread.title);
  json.member("created", rfc3339(thread.created)).member("updated", rfc3339(thread.updated));
  if (!thread.origin.project.empty()) json.member("project", thread.origin.project);
  if (thread.origin.single) json.member("single", true);
}

void add_listed(JsonWriter& json, const history::ThreadSummary& thread) {
  add_summary(json, thread);
  json.member("turns", thread.turns);
}

void add_match(JsonWriter& json, const history::Match& match) {
  json.object([&] {
    json.member("questionId", match.question_id).member("turn", match.turn);
    json.member("snippet", match.snippet);
  });
}

/// What is not valid JSON is left out: a damaged row leaves the conversation readable.
Json turn_json(const history::Turn& turn) {
  Json out = Json::object();
  if (auto details = parse_json(turn.details); details && details->is_object()) out = *details;
  out["question"] = turn.question;
  out["answer"] = turn.answer;
  out["questionId"] = turn.question_id;
  out["resources"] = turn.resources;
  out["status"] = turn.status;
  if (!turn.finish_reason.empty()) out["finishReason"] = turn.finish_reason;
  if (turn.asked) out["asked"] = rfc3339(*turn.asked);
  if (turn.cost) out["costUsd"] = *parse_json(to_decimal(*turn.cost));
  if (!turn.citations) return out;
  if (auto citations = parse_json(*turn.citations); citations && citations->is_array()) {
    out["citations"] = std::move(*citations);
  }
  return out;
}

Error no_thread(const std::string& id) {
  return Error{
      Code::kNotFound, "there is no thread \"" + id + "\"",
      "\"quarry threads\" lists those that are kept; history.keep_days removes older ones."}
      .tagged("NotFound");
}

Answer report_usage(const MethodServices& engine, const Json& params) {
  const auto request = read_usage(params, engine.host.clock.now());
  if (!request) return request.error();
  const auto usage =
      engine.history.settled().usage(request->since.value_or(Clock::Wall()), request->by);
  if (!usage) return usage.error();
  return usage_report(*request, *usage);
}

Answer find_threads(const MethodServices& engine, const std::string& words) {
  const auto found = engine.history.settled().search(words);
  if (!found) return found.error();
  return json_object([&](JsonWriter& json) {
    json.array("threads", [&] {
      for (const auto& [thread, matches] : *found) {
        json.object([&] {
          add_listed(json, thread);
          json.array("matches", [&] {
            for (const auto& match : matches) add_match(json, match);
          });
        });
      }
    });
  });
}

Answer list_threads(const MethodServices& engine, const Json& params) {
  if (const Json* const words = find_member(params, "q"))
    return find_threads(engine, words->get_ref<const std::string&>());
  const auto threads = engine.history.settled().threads();
  if (!threads) return threads.error();
  return json_object([&](JsonWriter& json) {
    json.array("threads", [&] {
      for (const auto& thread : *threads) json.object([&] { add_listed(json, thread); });
    });
  });
}

Answer rename_thread(const MethodServices& engine, const Json& params) {
  const std::string id = params["id"];
  const auto renamed =
      engine.history.settled().rename_thread(id, params["title"].get<std::string>());
  if (!renamed) return renamed.error();
  if (!*renamed) return no_thread(id);
  return json_object([&](JsonWriter& json) { add_listed(json, **renamed); });
}

Answer show_thread(const MethodServices& engine, const Json& params) {
  const std::string id = params["id"];
  const auto thread = engine.history.settled().thread(id);
  if (!thread) return thread.error();
  if (!*thread) return no_thread(id);
  return json_object([&](JsonWriter& json) {
    add_summary(json, (*thread)->summary);
    json.array("turns", [&] {
      for (const auto& turn : (*thread)->turns) json.raw(to_text(turn_json(turn)));
    });
  });
}

Answer remove_thread(const MethodServices& engine, const Json& params) {
  const std::string id = params["id"];
  const auto removed = engine.history.settled().remove_thread(id);
  if (!removed) return removed.error();
  if (!*removed) return no_thread(id);
  return to_text({{"success", true}, {"id", id}});
}

}  // namespace

void add_history_methods(MethodTable& table) {
  table.add({.name = "usage.report",
             .summary = "Calls, tokens and cost since a day (`2026-11-01`, UTC) or an age (`7d`, "
                        "`24h`), by `model`, `resource` or `day`. A question over several "
                        "resources counts in the row of each, and once in the total.",
             .params = kUsageParams,
             .result = kUsageResult.view(),
             .run = OnWorker{report_usage}});
  table.add({.name = "threads.list",
             .summary = "The conversations, the most recently continued first; with `q` those "
                        "that have its words, and where.",
             .params = kThreadsParams,
             .result = kThreadsResult.view(),
             .run = OnWorker{list_threads}});
  table.add({.name = "threads.show",
             .summary = "A conversation with its turns, each with the citations and their lines "
                        "as they were when it was answered.",
             .params = kIdParams,
             .result = kThreadResult,
             .run = OnWorker{show_thread}});
  table.add({.name = "threads.rename",
             .summary = "Gives a conversation another title.",
             .params = kThreadTitleParams,
             .result = kRenameResult.view(),
             .run = OnWorker{rename_thread}});
  table.add({.name = "threads.remove",
             .summary = "Removes a conversation, and its words from the index.",
             .params = kIdParams,
             .result = kRemoveResult,
             .run = OnWorker{remove_thread}});
}

}  // namespace quarry::engine
