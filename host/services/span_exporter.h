#pragma once

#include "base/clock.h"
#include "services/http_client.h"
#include "services/log.h"
#include "services/metrics.h"
#include "services/otlp_span.h"
#include "services/span_queue.h"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::services {

/// Sends spans to a collector: OTLP 1 over HTTP in JSON, one request at a time. What does not fit
/// into the queue, and what the collector does not take, is dropped and counted as
/// spans_dropped_total; of each cause one line is logged. Nothing ever waits for the collector but
/// shutdown().
class SpanExporter {
 public:
  struct Limits {
    SpanQueue::Limits queue = {};
    std::chrono::milliseconds interval{5'000};    ///< from the first span of a batch to its request
    std::chrono::milliseconds timeout{10'000};    ///< of a request
    unsigned attempts = 5;                        ///< for each batch
    std::chrono::milliseconds first_wait{1'000};  ///< before a retry; doubled each time
    std::chrono::milliseconds longest_wait{60'000};  ///< asked for by a collector; longer: dropped
  };
  struct Target {
    std::string url;  ///< of the collector's traces: "http://127.0.0.1:4318/v1/traces"
    std::vector<HttpHeader> headers;
    OtlpFrame frame;
  };
  /// All must outlive it.
  struct Parts {
    boost::asio::io_context& io;  ///< run by one thread
    HttpClient& http;
    const Clock& clock;
    Metrics& metrics;
    Log& log;
  };

  SpanExporter(Parts parts, Target target, Limits limits);
  SpanExporter(Parts parts, Target target) : SpanExporter(parts, std::move(target), Limits()) {}
  /// Nothing is sent any more.
  ~SpanExporter();
  SpanExporter(const SpanExporter&) = delete;
  SpanExporter& operator=(const SpanExporter&) = delete;

  /// Queues a span (to_otlp). Takes microseconds. [any]
  void add(std::string span);
  /// Sends what waits, each batch once, and waits up to `limit` for the collector. Later spans are
  /// dropped. [any thread but that of `io`, which must run]
  void shutdown(std::chrono::milliseconds limit);

 private:
  class State;
  const std::shared_ptr<State> state_;
};

/// The URL to which traces go, of the base URL of a collector.
[[nodiscard]] std::string traces_url(std::string_view endpoint);

}  // namespace quarry::services
