#pragma once

#include "base/error.h"
#include "plugins/exchange.h"
#include "retrieval/exchange_run.h"
#include "services/tracer.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
  std::function<Status()> permit = {};
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
Error provider_failure(const plugins::ModelError& error);

/// For a request that a person waits for: shorter limits, and spans in the trace of the question.
ProviderUse interactive(ProviderUse use);

/// The span of a request to a provider. [the thread that asks]
services::RunningSpan request_span(const ProviderUse& use);
void end_request_span(services::RunningSpan& span, const plugins::Usage& usage, const Status& done);

/// The output of one request: an item for each of what it asks about, in any order. `SinkType` is
/// the sink of its kind.
template <class SinkType>
class Collector : public SinkType {
 public:
  using Sink = SinkType;

  bool usage(const plugins::Usage& usage) override {
    usage_ = usage;
    return !failure_;
  }
  void finish() override {
    if (failure_ || count_ == seen_.size()) return;
    fail("the response has " + std::to_string(count_) + " " + words_.item + "s for " +
         std::to_string(seen_.size()) + " " + words_.asked);
  }
  void error(const plugins::ModelError& error) override {
    if (!failure_) failure_ = provider_failure(error);
  }

  // Once the exchange has ended.
  [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }
  [[nodiscard]] const plugins::Usage& used() const { return usage_; }

 protected:
  /// For messages: "vector" of "texts".
  struct Words {
    std::string item;
    std::string asked;
  };
  /// `use` must outlive it.
  Collector(const ProviderUse& use, std::size_t asked, Words words)
      : use_(use), words_(std::move(words)), seen_(asked, false) {}

  [[nodiscard]] std::size_t asked() const { return seen_.size(); }
  /// Takes the item with this index; false after a failure, such as an index that is not asked for.
  bool take(std::uint32_t index) {
    if (failure_) return false;
    if (index < seen_.size() && !seen_[index]) {
      seen_[index] = true;
      ++count_;
      return true;
    }
    const std::string place = " with the index " + std::to_string(index);
    if (index < seen_.size()) return fail("the response has two " + words_.item + "s" + place);
    return fail("the response has a " + words_.item + place + ", and the request " +
                std::to_string(seen_.size()) + " " + words_.asked);
  }
  bool fail(std::string_view why) {
    failure_ = wrong_output(use_, why);
    return false;
  }

 private:
  const ProviderUse& use_;
  const Words words_;
  std::vector<bool> seen_;
  std::size_t count_ = 0;
  plugins::Usage usage_;
  std::optional<Error> failure_;
};

/// Runs an exchange from permit to spent. `Output` is a Collector. [worker]
template <class Provider, class Output>
Status ask_provider(Provider& provider, const ProviderUse& use, std::string_view request,
                    Output& output, std::stop_token stop) {
  if (use.permit) {
    if (Status permitted = use.permit(); !permitted) return permitted;
  }
  auto begun = provider.begin(request);
  if (!begun) return std::move(begun).error();
  auto span = request_span(use);
  ExchangeRun<typename Output::Sink> run(**begun, output, use.services, use.limits,
                                         std::move(stop));
  Status done = run.run(services::SpanParent(span).traceparent());
  if (done && output.failure()) done = *output.failure();
  end_request_span(span, output.used(), done);
  if (use.spent) use.spent(output.used(), !done);
  if (done || done.error().code == Code::kCancelled) return done;
  return std::move(done).error().in("the provider of " + use.name());
}

}  // namespace quarry::retrieval
