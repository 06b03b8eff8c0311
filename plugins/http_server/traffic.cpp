#include "traffic.h"

#include <quarry/outcome.hpp>

#include <algorithm>
#include <cstdio>

namespace quarry::http_server {

Traffic::Traffic(std::vector<std::string> routes, const quarry_metrics_v1* metrics,
                 const quarry_log_v1* log)
    : routes_(std::move(routes)), metrics_(metrics), log_(log), answered_(routes_.size() + 1) {}

bool Traffic::wants_lines() const {
  return log_ != nullptr && log_->enabled(log_, QUARRY_LOG_DEBUG) != 0;
}

void Traffic::answered(std::size_t route, int status, const Line* line) {
  const std::size_t row = std::min(route, routes_.size());
  const auto column = std::ranges::find(kStatuses, status) - kStatuses.begin();
  answered_[row][static_cast<std::size_t>(column)].fetch_add(1, std::memory_order_relaxed);
  if (line != nullptr) write(status, *line);
}

void Traffic::write(int status, const Line& line) const {
  const std::chrono::duration<double, std::milli> took =
      std::chrono::steady_clock::now() - line.begin;
  char numbers[48];
  std::snprintf(numbers, sizeof numbers, " %d %.1f ms ", status, took.count());
  const std::string message = line.method + " " + line.path + numbers + line.id;
  log_->write(log_, QUARRY_LOG_DEBUG, as_text(message));
}

void Traffic::publish() {
  if (metrics_ == nullptr) return;
  for (std::size_t row = 0; row < answered_.size(); ++row) {
    for (std::size_t column = 0; column < answered_[row].size(); ++column) {
      const std::uint64_t amount = answered_[row][column].exchange(0);
      if (amount == 0) continue;
      count(row, column < kStatuses.size() ? std::to_string(kStatuses[column]) : "other", amount);
    }
  }
  metrics_->gauge(metrics_, as_text("http_streams_open"), {}, static_cast<double>(streams_.load()));
}

void Traffic::count(std::size_t row, std::string_view code, std::uint64_t amount) const {
  std::string labels = "code=\"" + std::string(code) + '"';
  if (row < routes_.size()) labels = routes_[row] + "," + labels;
  metrics_->count(metrics_, as_text("http_requests_total"), as_text(labels),
                  static_cast<double>(amount));
}

}  // namespace quarry::http_server
