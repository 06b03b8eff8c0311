#pragma once

#include <quarry/log.h>
#include <quarry/metrics.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::http_server {

/// Counts responses by route and status for quarry.metrics/1, and writes a line for each to
/// quarry.log/1 at level debug. Either service may be null. [any]
class Traffic {
 public:
  /// `routes` are the labels of each route: `method="GET",route="/livez"`.
  Traffic(std::vector<std::string> routes, const quarry_metrics_v1* metrics,
          const quarry_log_v1* log);

  /// One request, for its log line.
  struct Line {
    std::string method;
    std::string path;  // without its query, which may contain secrets
    std::string id;
    std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  };
  /// True if lines are logged; otherwise they need not be made.
  [[nodiscard]] bool wants_lines() const;

  /// `route` is an index into the constructor's routes, or kNoRoute; `line` is null if it is not to
  /// be logged.
  void answered(std::size_t route, int status, const Line* line);
  static constexpr std::size_t kNoRoute = static_cast<std::size_t>(-1);
  void stream_opened() { streams_.fetch_add(1, std::memory_order_relaxed); }
  void stream_closed() { streams_.fetch_sub(1, std::memory_order_relaxed); }

  /// Adds the counts to quarry.metrics/1. They are collected here until then, since a call to the
  /// host takes longer than a request.
  void publish();

 private:
  static constexpr std::array kStatuses = {200, 202, 204, 400, 401, 403, 404, 405, 406,
                                           408, 413, 415, 429, 431, 500, 502, 503, 504};
  using Counts = std::array<std::atomic<std::uint64_t>, kStatuses.size() + 1>;  // and all others

  void write(int status, const Line& line) const;
  void count(std::size_t row, std::string_view code, std::uint64_t amount) const;

  const std::vector<std::string> routes_;
  const quarry_metrics_v1* const metrics_;
  const quarry_log_v1* const log_;
  std::vector<Counts> answered_;  // by route, and one for no route
  std::atomic<std::int64_t> streams_ = 0;
};

}  // namespace quarry::http_server
