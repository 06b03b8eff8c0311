#pragma once

#include "base/error.h"

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace quarry::services {

/// Metrics for the operator, in the terms of Prometheus. Names match ^[a-z][a-z0-9_]*$ and become
/// "quarry_<name>"; labels read `route="/",code="200"` or are empty, and none is "le", "plugin" or
/// begins with "__" or "quarry_". A name keeps its first type; a call that fails gives it none.
/// Every function is [any thread] and takes microseconds. Invalid names, invalid labels and a
/// change of type fail with kInvalidArgument, more than kMostSeries series with kResourceExhausted.
/// `plugin` is the id of the plugin that records, which becomes the label "plugin" and keeps apart
/// the series of plugins that use one name; empty for the host.
class Metrics {
 public:
  static constexpr std::size_t kMostSeries = 10'000;

  /// Adds to a counter; `amount` is finite and not negative.
  Status count(std::string_view name, std::string_view labels, double amount = 1,
               std::string_view plugin = {});
  /// Sets a gauge; `value` is finite.
  Status gauge(std::string_view name, std::string_view labels, double value,
               std::string_view plugin = {});
  /// Adds a duration in seconds to a histogram from 1 ms to 5 minutes.
  Status observe(std::string_view name, std::string_view labels, double seconds,
                 std::string_view plugin = {});
  /// The text exposition format, version 0.0.4.
  [[nodiscard]] std::string expose() const;

 private:
  enum class Type { kCounter, kGauge, kHistogram };
  static constexpr std::array kBounds = {.001, .0025, .005, .01, .025, .05, .1,  .25,
                                         .5,   1.,    2.5,  5.,  10.,  30., 60., 300.};
  struct Series {
    double value = 0;  ///< the sum, for a histogram
    std::uint64_t count = 0;
    std::array<std::uint64_t, kBounds.size()> buckets{};
  };
  struct Family {
    Type type;
    std::map<std::string, Series, std::less<>> series;  ///< by all labels
  };

  Result<Series*> series(Type type, std::string_view name, std::string_view labels,
                         std::string_view plugin);
  static void expose(std::string& out, const std::string& name, const Family& family);

  mutable std::mutex mutex_;
  std::size_t series_ = 0;
  std::map<std::string, Family, std::less<>> families_;
};

}  // namespace quarry::services
