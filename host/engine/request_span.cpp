#include "engine/request_span.h"

#include "base/code_names.h"
#include "engine/params.h"
#include "services/span_names.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

/// Removes the member, whatever it is; the text, if it is one.
std::string take_text(Json& params, const char* member) {
  const auto found = params.find(member);
  if (found == params.end()) return {};
  std::string out = found->is_string() ? found->get<std::string>() : std::string();
  params.erase(found);
  return out;
}

std::string_view type_of(const Error& error) {
  return error.tag.empty() ? name_of(error.code) : std::string_view(error.tag);
}

/// `text` if it is an id of a request (docs/http-api.md), otherwise nothing.
std::string request_id(std::string text) {
  constexpr std::size_t kLongest = 128;
  const bool is_visible = std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
  return text.size() <= kLongest && is_visible ? std::move(text) : std::string();
}

/// Null if nothing is known. A client's span is none of this host's.
std::shared_ptr<const services::LogSubject> subject_of(std::string request,
                                                       services::TraceContext trace) {
  if (request.empty() && trace == services::TraceContext()) return nullptr;
  return std::make_shared<const services::LogSubject>(
      services::LogSubject{.request = std::move(request), .trace = trace});
}

/// The trace of a client whose request is not traced here.
services::TraceContext trace_of_client(std::string_view traceparent) {
  const auto client = services::parse_traceparent(traceparent);
  return client ? services::TraceContext{.trace = client->trace} : services::TraceContext();
}

}  // namespace

Task with_span(Task task, std::string_view method, Json& params, const services::Tracer* tracer,
               Clock::Steady arrived) {
  const std::string traceparent = take_text(params, "traceparent");
  std::string request = request_id(take_text(params, "request"));
  if (tracer == nullptr) {
    task.subject = subject_of(std::move(request), trace_of_client(traceparent));
    return task;
  }
  const bool by_token = find_member(params, "principal") != nullptr;
  auto span = std::make_shared<services::RunningSpan>(
      tracer->begin(method, {.traceparent = traceparent, .trusted = !by_token, .at = arrived}));
  task.trace = services::SpanParent(*span);
  task.subject = subject_of(std::move(request), task.trace.context());
  if (!span->is_recorded()) return task;
  span->set(services::span_names::kMethod, method);
  task.reply = [span, reply = std::move(task.reply)](Answer answer) {
    if (!answer) span->fail(type_of(answer.error()));
    span->end();
    reply(std::move(answer));
  };
  return task;
}

}  // namespace quarry::engine
