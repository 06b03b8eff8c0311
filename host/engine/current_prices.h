#pragma once

#include "ask/question.h"
#include "base/error.h"
#include "engine/current_state.h"
#include "engine/price_refresher.h"
#include "services/log.h"

#include <stop_token>

namespace quarry::engine {

/// The prices of the models of questions: fetched in the background when a model costs money.
/// Thread-safe.
class CurrentPrices {
 public:
  /// Both must outlive it.
  CurrentPrices(const CurrentState& state, services::Log& log);

  /// Refreshes prices in the background if a model or provider of `state` costs money. Never
  /// blocks.
  void refresh(const State& state);
  /// ConfigError if money is limited and no model has a known price, even after fetching prices.
  /// [worker]
  Status check_priced(const State& state, ask::Request& request, const std::stop_token& stop);
  /// Cancels a running refresh. Not on its thread.
  void stop() { refresher_.stop(); }

 private:
  PriceRefresher refresher_;
};

}  // namespace quarry::engine
