#include "ask/question_spans.h"

#include "ask/tool_names.h"
#include "base/code_names.h"
#include "base/json_writer.h"
#include "base/utf8.h"
#include "services/span_names.h"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

namespace quarry::ask {
namespace {

namespace names = services::span_names;
using services::RunningSpan;
using services::SpanKind;
using services::SpanParent;

constexpr std::string_view kAgentName = "quarry";

/// Names of providers in the conventions, by those in price catalogues, where they differ.
constexpr std::pair<std::string_view, std::string_view> kProviderNames[] = {
    {"google", "gcp.gemini"}, {"mistral", "mistral_ai"}, {"xai", "x_ai"}};

std::string_view provider_name(const Candidate& model) {
  const std::string_view known = model.vendor.empty() ? model.provider : model.vendor;
  const auto* const other = std::ranges::find(
      kProviderNames, known, &std::pair<std::string_view, std::string_view>::first);
  return other == std::end(kProviderNames) ? known : other->second;
}

/// In the words of the conventions.
std::string_view finish_reason(plugins::Finish reason) {
  switch (reason) {
    case plugins::Finish::kStop:
      return "stop";
    case plugins::Finish::kLength:
      return "length";
    case plugins::Finish::kToolCalls:
      return "tool_call";
    case plugins::Finish::kContentFilter:
      return "content_filter";
  }
  return "error";
}

void set_model(RunningSpan& span, const Candidate& model) {
  span.set(names::kProvider, provider_name(model));
  if (!model.name.empty()) span.set(names::kModel, std::string_view(model.name));
}

void set_usage(RunningSpan& span, const plugins::Usage& usage) {
  const auto set = [&span](std::string_view name, std::int64_t tokens) {
    if (tokens >= 0) span.set(name, tokens);
  };
  set(names::kInputTokens, usage.input);
  set(names::kOutputTokens, usage.output);
  set(names::kReasoningTokens, usage.reasoning);
  set(names::kCacheReadTokens, usage.cache_read);
  set(names::kCacheWriteTokens, usage.cache_write);
}

/// One message in the form of gen_ai.input.messages.
void set_message(RunningSpan& span, std::string_view name, std::string_view role,
                 std::string_view text) {
  const auto kept = utf8_prefix(text, RunningSpan::kMostContent);
  span.set(name, std::string_view(json_array([&](JsonWriter& json) {
             json.object([&] {
               json.member("role", role).array("parts", [&] {
                 json.object([&] { json.member("type", "text").member("content", kept); });
               });
             });
           })));
}

/// The status of HTTP if there is one, as the conventions say.
std::string type_of(const plugins::ModelError& error) {
  return error.http_status > 0 ? std::to_string(error.http_status)
                               : std::string(name_of(error.code));
}

}  // namespace

RunningSpan question_span(const Request& request) {
  auto span = request.trace.begin(names::kInvokeAgent, kAgentName, SpanKind::kInternal);
  if (!span.is_recorded()) return span;
  span.set(names::kOperation, names::kInvokeAgent);
  span.set(names::kAgent, kAgentName);
  span.set(names::kQuestion, std::string_view(request.id));
  if (!span.wants_content()) return span;
  if (!request.thread.empty()) span.set_content(names::kConversation, request.thread);
  set_message(span, names::kInputMessages, "user", request.text);
  return span;
}

std::shared_ptr<const services::LogSubject> question_subject(const Request& request,
                                                             const RunningSpan& span) {
  services::LogSubject out;
  if (request.subject) out = *request.subject;
  out.question = request.id;
  const services::TraceContext context = SpanParent(span).context();
  if (context != services::TraceContext()) out.trace = context;
  return std::make_shared<const services::LogSubject>(std::move(out));
}

void end_question_span(RunningSpan& span, const QuestionEnd& end) {
  if (!span.is_recorded()) return;
  set_model(span, end.model);
  set_usage(span, end.usage);
  if (end.outcome) {
    span.set(names::kOutcome, std::string_view(*end.outcome));
  } else {
    span.fail(end.outcome.error().tag);
  }
  if (span.wants_content()) {
    set_message(span, names::kOutputMessages, "assistant", end.log.text_of(EventType::kTextDelta));
  }
  span.end();
}

RunningSpan step_span(const SpanParent& question, const Candidate& model, std::uint32_t number,
                      std::int64_t max_tokens) {
  auto span = question.begin(names::kChat, model.name, SpanKind::kClient);
  if (!span.is_recorded()) return span;
  span.set(names::kOperation, names::kChat);
  set_model(span, model);
  span.set(names::kStep, std::int64_t{number});
  if (max_tokens > 0) span.set(names::kMaxTokens, max_tokens);
  return span;
}

void end_step_span(RunningSpan& span, const Step& step, Clock::Steady begun) {
  if (!span.is_recorded()) return;
  if (step.usage) set_usage(span, *step.usage);
  if (step.first_token) {
    span.set(names::kFirstChunk, std::chrono::duration<double>(*step.first_token - begun).count());
  }
  if (step.finish) {
    span.set(names::kFinishReasons, std::array{finish_reason(*step.finish)});
  }
  if (step.error) span.fail(type_of(*step.error));
  span.end();
}

RunningSpan tool_span(const SpanParent& question, const ToolCall& call, std::string_view arguments,
                      const ToolNames& tools) {
  if (!question.is_recorded()) return {};
  const bool is_known = tools.find(call.name) == call.name;
  const std::string_view name = is_known ? std::string_view(call.name) : "_OTHER";
  auto span = question.begin(names::kExecuteTool, name, SpanKind::kInternal);
  span.set(names::kOperation, names::kExecuteTool);
  span.set(names::kTool, name);
  span.set(names::kToolType, std::string_view("function"));
  span.set_content(names::kToolCall, call.id);
  span.set_content(names::kToolArguments, arguments);
  return span;
}

void end_tool_span(RunningSpan& span, const Result<ToolResult>& result) {
  if (!span.is_recorded()) return;
  if (result) {
    span.set_content(names::kToolResult, result->output);
  } else {
    span.fail(name_of(result.error().code));
  }
  span.end();
}

RunningSpan resource_span(const SpanParent& parent, const WantedResource& wanted) {
  auto span = parent.begin(names::kPrepareResource, {}, SpanKind::kInternal);
  if (!span.is_recorded()) return span;
  span.set(names::kResourceType, std::string_view(wanted.resource.value("type", std::string())));
  span.set_content(names::kResourceName, wanted.resource.value("name", std::string()));
  return span;
}

}  // namespace quarry::ask
