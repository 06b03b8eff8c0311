#include "retrieval/provider_use.h"

#include "ask/model_failure.h"
#include "base/code_names.h"
#include "services/log_scope.h"
#include "services/span_names.h"

#include <algorithm>
#include <chrono>

namespace quarry::retrieval {
namespace {

using std::chrono::milliseconds;

std::string hint_for(const plugins::ModelError& error) {
  if (ask::is_refused(error)) return ask::kCheckTheKey;
  if (error.retry_after_ms > 0) {
    return "Try again in " + std::to_string((error.retry_after_ms + 999) / 1000) + " s.";
  }
  if (error.code == Code::kNotFound) return "Correct the model or the base_url of the provider.";
  return {};
}

services::RunningSpan begin_span(const ProviderUse& use) {
  const auto subject = use.in_callers_trace ? services::LogScope::current() : nullptr;
  if (subject == nullptr || services::span_id(subject->trace).empty()) {
    return use.tracer->begin(use.operation, use.model, services::SpanKind::kClient);
  }
  return services::SpanParent(*use.tracer, subject->trace)
      .begin(use.operation, use.model, services::SpanKind::kClient);
}

}  // namespace

Error wrong_output(const ProviderUse& use, std::string_view why) {
  return {Code::kDataLoss, std::string(why),
          "Check that \"" + use.model + "\" is a model for this purpose, and its server."};
}

Error provider_failure(const plugins::ModelError& error) {
  return {ask::is_refused(error) ? Code::kUnauthenticated : error.code, ask::words_of(error),
          hint_for(error)};
}

ProviderUse interactive(ProviderUse use) {
  use.limits.total = std::min(use.limits.total, milliseconds(30'000));
  use.limits.idle = std::min(use.limits.idle, milliseconds(15'000));
  use.services.retry.attempts = std::min(use.services.retry.attempts, 2u);
  use.services.retry.longest_asked_wait =
      std::min(use.services.retry.longest_asked_wait, milliseconds(3'000));
  use.in_callers_trace = true;
  return use;
}

services::RunningSpan request_span(const ProviderUse& use) {
  namespace names = services::span_names;
  if (use.tracer == nullptr) return {};
  auto span = begin_span(use);
  span.set(names::kOperation, use.operation);
  span.set(names::kProvider, std::string_view(use.component));
  span.set(names::kModel, std::string_view(use.model));
  return span;
}

void end_request_span(services::RunningSpan& span, const plugins::Usage& usage,
                      const Status& done) {
  if (usage.input >= 0) span.set(services::span_names::kInputTokens, usage.input);
  if (!done) span.fail(name_of(done.error().code));
  span.end();
}

}  // namespace quarry::retrieval
