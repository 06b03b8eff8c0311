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

/// Keeps catalogues of prices current in the background, on a thread of its own, so that a slow
/// fetch takes no worker from a question. Thread-safe.
class PriceRefresher {
 public:
  struct Parts {
    std::function<plugins::PricingCatalogues()> catalogues;  ///< those of now
    /// Told of each failure once, until a refresh succeeds again.
    std::function<void(std::string_view problem)> warn;
    std::chrono::milliseconds retry = std::chrono::hours(1);  ///< after a failure
    std::chrono::milliseconds limit = std::chrono::minutes(2);
  };

  explicit PriceRefresher(Parts parts);
  /// As stop.
  ~PriceRefresher();

  /// Prices are wanted, or the catalogues are other ones: whatever is due is refreshed soon. The
  /// first call starts the thread. Never blocks.
  void wake();
  /// As wake(), and waits until what is due has been refreshed or failed to be. False after `limit`
  /// or once `stop` is requested. [worker]
  bool wait(const std::stop_token& stop, std::chrono::milliseconds limit);
  /// Cancels what runs and joins the thread. Not on that thread.
  void stop();

 private:
  using Steady = std::chrono::steady_clock::time_point;

  void run(const std::stop_token& stopping);
  std::uint64_t wakes_so_far();
  /// Refreshes what is due; answers when the next one is.
  Steady refresh_due(const std::stop_token& stopping);
  Steady refresh(plugins::PricingCatalogue& catalogue, const std::stop_token& stopping);

  const Parts parts_;
  std::stop_source stop_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool woken_ = false;
  std::uint64_t wakes_ = 0;
  std::uint64_t served_ = 0;  ///< the last wake that a refresh has begun after, and ended
  std::unique_ptr<services::NamedLoop> loop_;

  std::map<std::shared_ptr<plugins::PricingCatalogue>, Steady> due_;  // of the thread alone
  std::set<std::string> told_;
};

}  // namespace quarry::engine
