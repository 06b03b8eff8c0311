#pragma once

#include "ask/record.h"
#include "services/metrics.h"

#include <chrono>
#include <string_view>

namespace quarry::engine {

/// Records what questions, models, tools and fetches did in the metrics of the host. Thread-safe.
class EngineMetrics {
 public:
  /// Describes them. `metrics` must outlive this.
  explicit EngineMetrics(services::Metrics& metrics);

  /// A question has ended; with its model calls.
  void ended(const ask::Record& record);
  /// A tool that exists was used by a model.
  void used_tool(std::string_view tool, bool failed, std::chrono::nanoseconds took);
  /// The source of a resource was read.
  void fetched(std::string_view type, bool failed, std::chrono::nanoseconds took);

 private:
  void called(const ask::CallRecord& call);
  void count(std::string_view name, const std::string& labels, double amount = 1);
  void observe(std::string_view name, const std::string& labels, std::chrono::nanoseconds took);

  services::Metrics& metrics_;
};

}  // namespace quarry::engine
