#pragma once

#include "plugins/pricing_catalogue.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>

namespace quarry::services {
class NamedLoop;
}

namespace quarry::engine {

/// Refreshes price catalogues in the background, on its own thread, so that a slow fetch takes no
/// worker. Thread-safe.
class PriceRefresher {
 public:
  struct Parts {
    std::function<plugins::PricingCatalogues()> catalogues;  ///< returns the current ones
    /// Called once for each failure, until a refresh succeeds again.
    std::function<void(std::string_view problem)> warn;
    std::chrono::milliseconds retry = std::chrono::hours(1);  ///< after a failure
    std::chrono::milliseconds limit = std::chrono::minutes(2);
  };

  explicit PriceRefresher(Parts parts);
  /// Calls stop().
  ~PriceRefresher();

  /// Refreshes due catalogues soon: when prices are needed, or the catalogues changed. The first
  /// call starts the thread. Never blocks.
  void wake();
  /// Calls wake(), and waits until due catalogues have been refreshed or have failed. False after
  /// `limit`, after stop(), or once `stop` is requested. [worker]
  bool wait(const std::stop_token& stop, std::chrono::milliseconds limit);
  /// Cancels a running refresh and joins the thread. Not on that thread.
  void stop();

 private:
  using Steady = std::chrono::steady_clock::time_point;

  void run(const std::stop_token& stopping);
  std::uint64_t wakes_so_far();
  /// Refreshes due catalogues; returns the time of the next refresh.
  Steady refresh_due(const std::stop_token& stopping);
  Steady refresh(plugins::PricingCatalogue& catalogue, const std::stop_token& stopping);

  const Parts parts_;
  std::stop_source stop_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool woken_ = false;
  std::uint64_t wakes_ = 0;
  std::uint64_t served_ = 0;  ///< last wake before the start of a completed refresh
  std::unique_ptr<services::NamedLoop> loop_;

  std::map<std::shared_ptr<plugins::PricingCatalogue>, Steady> due_;  // used by the thread only
  std::set<std::string> warned_;
};

}  // namespace quarry::engine
