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

/// What was answered: counted by route and status for quarry.metrics/1, and at level debug a line
/// each for quarry.log/1. Either may be null. [any]
class Traffic {
 public:
  /// `routes` are the labels of each route: `method="GET",route="/livez"`.
  Traffic(std::vector<std::string> routes, const quarry_metrics_v1* metrics,
          const quarry_log_v1* log);

  /// One request, for the line about it.
  struct Line {
    std::string method;
    std::string path;  // without its query, which may hold what is not for logs
    std::string id;
    std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  };
  /// Whether lines are kept, so that they need not be made.
  [[nodiscard]] bool wants_lines() const;

  /// A route by its place among those of the constructor, or kNoRoute; `line` is null where none is
  /// wanted.
  void answered(std::size_t route, int status, const Line* line);
  static constexpr std::size_t kNoRoute = static_cast<std::size_t>(-1);
  void stream_opened() { streams_.fetch_add(1, std::memory_order_relaxed); }
  void stream_closed() { streams_.fetch_sub(1, std::memory_order_relaxed); }

  /// Hands the numbers over. They are kept here until then, since a request is shorter than a look
  /// into the host's tables.
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
