#include "ask.h"

#include "results.h"

#include <quarry/events.hpp>

#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::transport_mcp {
namespace {

using mcp::Json;

/// The tool call that the answering model begins, as text: "grep hydrate".
std::string message_of_tool(const Json& event) {
  const Json* const state = mcp::find(event, "state");
  if (state == nullptr || mcp::find_string(*state, "status") != "running") return {};
  std::string tool = mcp::find_string(event, "tool");
  const Json* const input = mcp::find(*state, "input");
  for (const char* member : {"query", "pattern", "path"}) {
    const std::string what = input == nullptr ? std::string() : mcp::find_string(*input, member);
    if (!what.empty()) return tool + " " + what;
  }
  return tool;
}

/// "too many requests (HTTP 429), asked again in 7 s"; empty once it is asked again.
std::string message_of_wait(const Json& event) {
  const Json* const seconds = mcp::find(event, "seconds");
  if (seconds == nullptr || *seconds == 0) return {};
  return mcp::find_string(event, "reason") + ", asked again in " + seconds->dump() + " s";
}

/// Empty where an event says nothing to a user who waits.
std::string message_of(std::optional<EventType> type, std::string_view json) {
  const auto event = [&] { return Json::parse(json, nullptr, false); };
  if (type == EventType::kToolUpdated) return message_of_tool(event());
  if (type == EventType::kModelWaiting) return message_of_wait(event());
  return type == EventType::kResourceProgress ? mcp::find_string(event(), "message")
                                              : std::string();
}

}  // namespace

Ask::Ask(engine_client::EngineCalls& calls, std::shared_ptr<mcp::Call> call)
    : Question(calls), calls_(calls), call_(std::move(call)) {}

void Ask::begin(const std::string& params) {
  const auto self = std::static_pointer_cast<Ask>(shared_from_this());
  call_->on_end([self](mcp::End) {
    self->abandon();
    if (self->call_->question.empty()) return;
    self->calls_.call("question.stop",
                      "{\"id\":" + engine_client::json_string(self->call_->question) + "}",
                      [](const engine_client::Outcome&) {});
  });
  ask(params);
}

void Ask::failed(const engine_client::Failure& failure) {
  call_->answer(refusal_of(failure));
}

void Ask::accepted(const std::string& id) {
  call_->question = id;
  call_->open();
  call_->step("the question is accepted");
}

void Ask::visit(const quarry_event& event) {
  const auto type = event_named(as_view(event.type));
  if (type == EventType::kDone) {
    done_ = as_view(event.json);
  } else if (type == EventType::kError) {
    error_ = as_view(event.json);
  } else if (type == EventType::kTextDelta) {
    if (!std::exchange(writes_, true)) call_->step("writing the answer");
  } else {
    std::string message = message_of(type, as_view(event.json));
    if (message.empty() || message == last_message_) return;
    call_->step(message);
    last_message_ = std::move(message);
  }
}

void Ask::caught_up(bool ended) {
  if (!ended) return;
  // The call keeps this alive until it is answered.
  const auto self = shared_from_this();
  if (!error_.empty()) {
    return call_->answer(failure_of(engine_client::Failure::of_event(error_)));
  }
  call_->answer(result_of_ask(done_));
}

}  // namespace quarry::transport_mcp
