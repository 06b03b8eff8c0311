#include "retrieval/exchange_run.h"

#include <optional>
#include <string>

namespace quarry::retrieval {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kLargestRefusal = 64u << 10;

/// One exchange, and the requests sent for it one after another.
class ExchangeRun {
 public:
  ExchangeRun(RunningExchange& exchange, const RequestServices& services,
              const ExchangeLimits& limits, const std::string& traceparent, std::stop_token stop)
      : exchange_(exchange), services_(services), limits_(limits), traceparent_(traceparent) {
    call_.stop = std::move(stop);
  }

  Status run() {
    for (unsigned attempt = 1;; ++attempt) {
      auto request = exchange_.request();
      if (request) request = completed(std::move(*request));
      if (!request) return std::move(request).error();
      const Status sent = send(std::move(*request));
      const auto wait = wait_before_retry(sent, attempt);
      if (!wait) return finish(sent);
      if (Status slept = services::sleep(call_, *wait); !slept) return slept;
    }
  }

 private:
  /// With secrets, and headers of the host.
  Result<services::HttpRequest> completed(services::HttpRequest request) const {
    for (auto& header : request.headers) {
      if (header.secret.empty()) continue;
      auto value = services_.secret(header.secret, call_.stop);
      if (!value) {
        Error failed = std::move(value).error();
        if (failed.code == Code::kNotFound) failed.code = Code::kUnauthenticated;
        return failed;
      }
      header.value += *value;
      header.secret.clear();
      header.credential = true;
    }
    // Meant for this provider alone, as a credential is.
    if (!traceparent_.empty()) {
      request.headers.push_back({.name = "traceparent", .value = traceparent_, .credential = true});
    }
    return request;
  }

  /// A response that may be retried is buffered; any other is passed to the exchange at once.
  Status send(services::HttpRequest request) {
    refusal_ = {};
    buffered_ = false;
    const services::HttpSink sink{
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
                exchange_.data(bytes);
              } else {
                refusal_.body += bytes.substr(0, kLargestRefusal - refusal_.body.size());
              }
              return Status();
            }};
    const auto sent = services_.http.send(call_, std::move(request), sink,
                                          {.idle = limits_.idle,
                                           .total = limits_.total,
                                           .max_bytes = limits_.max_bytes,
                                           .to_models = true});
    return sent ? Status() : Status(sent.error());
  }

  void forward_head() {
    forwarded_ = true;
    exchange_.head(refusal_.status, refusal_.headers);
  }

  /// Time to wait before a retry; nothing when there is none.
  [[nodiscard]] std::optional<milliseconds> wait_before_retry(const Status& sent,
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
    if (call_.stop.stop_requested()) return Error(Code::kCancelled, "the search was stopped");
    if (buffered_) {
      forward_head();
      exchange_.data(refusal_.body);
      exchange_.end(true);
      return {};
    }
    if (!sent && (!forwarded_ || sent.error().code != Code::kUnavailable)) return sent;
    exchange_.end(sent.has_value());
    return {};
  }

  RunningExchange& exchange_;
  const RequestServices& services_;
  const ExchangeLimits& limits_;
  const std::string& traceparent_;
  services::Call call_;
  ask::Refusal refusal_;  ///< the last response; its body while it is buffered
  bool buffered_ = false;
  bool forwarded_ = false;
};

}  // namespace

Status run_exchange(RunningExchange& exchange, const RequestServices& services,
                    const ExchangeLimits& limits, const std::string& traceparent,
                    std::stop_token stop) {
  return ExchangeRun(exchange, services, limits, traceparent, std::move(stop)).run();
}

}  // namespace quarry::retrieval
