#pragma once

#include "base/error.h"
#include "plugins/exchange.h"
#include "retrieval/exchange_run.h"
#include "services/tracer.h"

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

namespace quarry::retrieval {

/// A provider as the configuration chooses it, and what its requests need.
struct ProviderUse {
  std::string id;         ///< as configured, for messages: "openai"
  std::string component;  ///< of a plugin
  std::string model;
  RequestServices services;
  ExchangeLimits limits = {};
  /// Called before each request: the error of a request that may cost too much. May be empty.
  /// [worker]
  std::function<Status(std::stop_token stop)> permit = {};
  /// Called with the usage of each exchange that was begun. May be empty. [worker]
  std::function<void(const plugins::Usage& usage, bool failed)> spent = {};

  const services::Tracer* tracer = nullptr;  ///< null = requests have no spans
  std::string_view operation = {};           ///< of the spans; of static duration
  /// The spans belong to what the calling thread works for (LogScope), not to traces of their own.
  bool in_callers_trace = false;

  /// "openai/text-embedding-3-small"
  [[nodiscard]] std::string name() const { return id + "/" + model; }
};

/// The output of one request that is not as the contract says: kDataLoss.
Error wrong_output(const ProviderUse& use, std::string_view why);
/// The failure that a provider reported for a request.
Error provider_failure(const ProviderUse& use, const plugins::ModelError& error);

/// For a request that a person waits for: shorter limits, and spans in the trace of the question.
ProviderUse interactive(ProviderUse use);

/// The span of a request to a provider. [the thread that asks]
services::RunningSpan request_span(const ProviderUse& use);
void end_request_span(services::RunningSpan& span, const plugins::Usage& usage, const Status& done);

/// Runs an exchange from permit to spent. `Collector` is the sink of its output, with the type
/// Sink, and with failure(), an optional Error, and used(), its usage, once the exchange has ended.
/// [worker]
template <class Provider, class Collector>
Status ask_provider(Provider& provider, const ProviderUse& use, std::string_view request,
                    Collector& collector, std::stop_token stop) {
  if (use.permit) {
    if (Status permitted = use.permit(stop); !permitted) return permitted;
  }
  auto begun = provider.begin(request);
  if (!begun) return std::move(begun).error();
  SinkExchange<typename Collector::Sink> exchange(std::move(*begun), collector);
  auto span = request_span(use);
  Status done = run_exchange(exchange, use.services, use.limits,
                             services::SpanParent(span).traceparent(), std::move(stop));
  if (done && collector.failure()) done = *collector.failure();
  end_request_span(span, collector.used(), done);
  if (use.spent) use.spent(collector.used(), !done);
  if (done || done.error().code == Code::kCancelled) return done;
  return std::move(done).error().in("the provider of " + use.name());
}

}  // namespace quarry::retrieval
