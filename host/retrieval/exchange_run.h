#pragma once

#include "ask/exchange_model.h"
#include "ask/retry.h"
#include "base/clock.h"
#include "base/error.h"
#include "plugins/exchange.h"
#include "services/http_client.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

namespace quarry::retrieval {

/// How requests to a provider are sent; the references must outlive it.
struct RequestServices {
  services::HttpClient& http;
  const Clock& clock;
  ask::GetSecret secret;
  ask::RetryPolicy retry = {};
};

/// Limits of one exchange.
struct ExchangeLimits {
  std::chrono::milliseconds idle{60'000};    ///< longest time without data from the server
  std::chrono::milliseconds total{300'000};  ///< of one request, without the waits between retries
  std::uint64_t max_bytes = 64u << 20;       ///< of the response
};

/// An exchange of any kind together with its sink. One thread at a time.
class RunningExchange {
 public:
  virtual ~RunningExchange() = default;
  virtual Result<services::HttpRequest> request() = 0;
  virtual void head(int status, std::span<const services::HttpHeader> headers) = 0;
  virtual void data(std::string_view bytes) = 0;
  virtual void end(bool complete) = 0;
};

template <class Sink>
class SinkExchange final : public RunningExchange {
 public:
  /// `sink` must outlive it.
  SinkExchange(std::unique_ptr<plugins::ProviderExchange<Sink>> exchange, Sink& sink)
      : exchange_(std::move(exchange)), sink_(sink) {}
  Result<services::HttpRequest> request() override { return exchange_->request(); }
  void head(int status, std::span<const services::HttpHeader> headers) override {
    exchange_->head(status, headers, sink_);
  }
  void data(std::string_view bytes) override { exchange_->data(bytes, sink_); }
  void end(bool complete) override { exchange_->end(complete, sink_); }

 private:
  const std::unique_ptr<plugins::ProviderExchange<Sink>> exchange_;
  Sink& sink_;
};

/// Sends the request of `exchange`, with the header `traceparent` unless it is empty, and passes
/// its response on, all on the calling thread. A request is retried only while no part of its
/// response was passed on, as ask::RetryPolicy says; the error response of the last attempt is
/// passed on. Success once the exchange has ended, its sink then has a finish or error. Else
/// kCancelled after a stop, kDeadlineExceeded, kResourceExhausted for a response that is too large,
/// kUnavailable without a response, or the error of a secret. [worker]
Status run_exchange(RunningExchange& exchange, const RequestServices& services,
                    const ExchangeLimits& limits, const std::string& traceparent,
                    std::stop_token stop);

}  // namespace quarry::retrieval
