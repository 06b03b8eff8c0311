#pragma once

#include "base/error.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::services {

/// A number that is read when metrics are exposed.
struct Reading {
  enum class Type { kCounter, kGauge };
  std::string_view name;  ///< the whole name
  Type type = Type::kGauge;
  std::string_view help;
  double value = 0;
};

/// Metrics for the operator, in the terms of Prometheus. Names match ^[a-z][a-z0-9_]*$ and become
/// "quarry_<name>"; labels read `route="/",code="200"` or are empty, name none twice, and none is
/// "le", "plugin" or begins with "__" or "quarry_". A name keeps its first type; a call that fails
/// gives it none. Every function is [any thread] and takes microseconds. Invalid names, invalid
/// labels and a change of type fail with kInvalidArgument, more than kMostSeries series of one
/// plugin with kResourceExhausted. `plugin` is the id of the plugin that records, which becomes the
/// label "plugin" and keeps apart the series of plugins that use one name; empty for the host.
class Metrics {
 public:
  static constexpr std::size_t kMostSeries = 1'000;

  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  /// Sets the help text of a metric of the host, before it is first recorded.
  void describe(std::string_view name, std::string_view help);
  /// Adds to a counter; `amount` is finite and not negative.
  Status count(std::string_view name, std::string_view labels, double amount = 1,
               std::string_view plugin = {});
  /// Sets a gauge; `value` is finite.
  Status gauge(std::string_view name, std::string_view labels, double value,
               std::string_view plugin = {});
  /// Adds a duration in seconds to a histogram from 1 ms to 5 minutes.
  Status observe(std::string_view name, std::string_view labels, double seconds,
                 std::string_view plugin = {});
  /// The text exposition format, version 0.0.4, of all metrics and `readings`, by name.
  [[nodiscard]] std::string expose(const std::vector<Reading>& readings = {}) const;

 private:
  class Families;
  const std::unique_ptr<Families> families_;
};

/// `name="value"` with what the value needs escaped, for the labels of a metric.
[[nodiscard]] std::string metric_label(std::string_view name, std::string_view value);

}  // namespace quarry::services
