#include "whole_answer.h"

#include "json_text.h"

#include <quarry/events.hpp>

#include <array>

#include <nlohmann/json.hpp>

namespace quarry::rest {
namespace {

using nlohmann::json;

void move_members(json& to, json& from, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (const auto found = from.find(name); found != from.end()) to[name] = std::move(*found);
  }
}

/// Empty if the events violate the contract.
std::string compose(const std::string& id, const std::string& meta, const std::string& done) {
  json head = json::parse(meta, nullptr, false);
  json tail = json::parse(done, nullptr, false);
  if (!head.is_object() || !tail.is_object()) return {};
  json answer = json::object();
  answer["answer"] = tail.value("text", "");
  answer["id"] = id;
  move_members(answer, head, {"model", "resources", "collection", "thread", "turnsLeftOut"});
  move_members(answer, tail,
               {"model", "fallbacks", "citations", "usage", "metrics", "finishReason"});
  return dump(answer);
}

}  // namespace

void WholeAnswer::visit(const quarry_event& event) {
  const auto type = event_named(as_view(event.type));
  if (type == EventType::kMeta) {
    meta_ = as_view(event.json);
  } else if (type == EventType::kDone) {
    done_ = as_view(event.json);
  } else if (type == EventType::kError) {
    failure_ = as_view(event.json);
  }
}

void WholeAnswer::caught_up(bool ended) {
  if (!ended) return;
  if (!failure_.empty()) return reply().send(error_response_of_event(failure_));
  http_server::Response response;
  response.body = compose(id_, meta_, done_);
  if (response.body.empty()) {
    response = error_response(500, "InternalError", "the question ended without an answer");
  }
  reply().send(std::move(response));
}

}  // namespace quarry::rest
