#pragma once

#include "ask/exchange_model.h"
#include "ask/retry.h"
#include "base/clock.h"
#include "base/error.h"
#include "plugins/exchange.h"
#include "services/http_client.h"

#include <chrono>
#include <cstdint>
#include <optional>
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

[[nodiscard]] inline services::HttpOptions options_of(const ExchangeLimits& limits) {
  return {
      .idle = limits.idle, .total = limits.total, .max_bytes = limits.max_bytes, .to_models = true};
}

/// One exchange, and the requests sent for it one after another, all on the calling thread. A
/// request is retried only while no part of its response was passed on, as ask::RetryPolicy says;
/// the error response of the last attempt is passed on. What it is made of must outlive it.
template <class Sink>
class ExchangeRun {
 public:
  ExchangeRun(plugins::ProviderExchange<Sink>& exchange, Sink& sink,
              const RequestServices& services, const ExchangeLimits& limits, std::stop_token stop)
      : exchange_(exchange), sink_(sink), services_(services), limits_(limits) {
    call_.stop = std::move(stop);
  }

  /// Sends requests with the header `traceparent` unless it is empty. Success once the exchange has
  /// ended, its sink then has a finish or error. Else kCancelled after a stop, kDeadlineExceeded,
  /// kResourceExhausted for a response that is too large, kUnavailable without a response, or the
  /// error of a secret. [worker]
  Status run(const std::string& traceparent) {
    for (unsigned attempt = 1;; ++attempt) {
      auto request = exchange_.request();
      if (!request) return std::move(request).error();
      Status done = ask::complete_request(*request, services_.secret, traceparent, call_.stop);
      if (!done) return done;
      const Status sent = send(std::move(*request));
      const auto wait = wait_before_retry(sent, attempt);
      if (!wait) return finish(sent);
      if (Status slept = services::sleep(call_, *wait); !slept) return slept;
    }
  }

 private:
  static constexpr std::size_t kLargestRefusal = 64u << 10;

  /// A response that may be retried is buffered; any other is passed to the exchange at once.
  Status send(services::HttpRequest request) {
    refusal_ = {};
    buffered_ = false;
    const services::HttpSink response{
        .head =
            [this](const services::HttpHead& head) {
              buffered_ = ask::may_be_retried(head.status, head.headers);
              refusal_ = {.status = head.status, .headers = head.headers, .body = {}};
              if (!buffered_) forward_head();
              return Status();
            },
        .data =
            [this](std::string_view bytes) {
              if (!buffered_) {
                exchange_.data(bytes, sink_);
              } else {
                refusal_.body += bytes.substr(0, kLargestRefusal - refusal_.body.size());
              }
              return Status();
            }};
    const auto sent = services_.http.send(call_, std::move(request), response, options_of(limits_));
    return sent ? Status() : Status(sent.error());
  }

  void forward_head() {
    forwarded_ = true;
    exchange_.head(refusal_.status, refusal_.headers, sink_);
  }

  /// Time to wait before a retry; nothing when there is none.
  [[nodiscard]] std::optional<std::chrono::milliseconds> wait_before_retry(const Status& sent,
                                                                           unsigned attempt) const {
    if (forwarded_ || call_.stop.stop_requested()) return std::nullopt;
    if (buffered_) {
      return ask::wait_after(services_.retry, attempt, refusal_, services_.clock.now());
    }
    if (sent || sent.error().code != Code::kUnavailable) return std::nullopt;
    return ask::wait_after_failure(services_.retry, attempt);
  }

  /// Passes the last response on. A connection that broke ends the exchange, which says so; other
  /// failures are the host's own.
  Status finish(const Status& sent) {
    if (call_.stop.stop_requested()) return Error(Code::kCancelled, "the request was stopped");
    if (buffered_) {
      forward_head();
      exchange_.data(refusal_.body, sink_);
      exchange_.end(true, sink_);
      return {};
    }
    if (!sent && (!forwarded_ || sent.error().code != Code::kUnavailable)) return sent;
    exchange_.end(sent.has_value(), sink_);
    return {};
  }

  plugins::ProviderExchange<Sink>& exchange_;
  Sink& sink_;
  const RequestServices& services_;
  const ExchangeLimits& limits_;
  services::Call call_;
  ask::Refusal refusal_;  ///< the last response; its body while it is buffered
  bool buffered_ = false;
  bool forwarded_ = false;
};

}  // namespace quarry::retrieval
