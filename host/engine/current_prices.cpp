#include "engine/current_prices.h"

#include "ask/unpriced.h"

#include <algorithm>
#include <chrono>

namespace quarry::engine {
namespace {

/// Longest time that a question waits for the first fetch of prices.
constexpr std::chrono::seconds kPriceFetch{15};

}  // namespace

CurrentPrices::CurrentPrices(const CurrentState& state, services::Log& log)
    : refresher_({.catalogues =
                      [&state] {
                        const auto now = state.now();
                        return now->config.refresh_prices ? now->pricing
                                                          : plugins::PricingCatalogues();
                      },
                  .warn = [&log](std::string_view problem) { log.warning("prices", problem); }}) {}

void CurrentPrices::refresh(const State& state) {
  const bool costs = state.models->costs() || state.retrieval.costs;
  if (costs && state.config.refresh_prices) refresher_.wake();
}

Status CurrentPrices::check_priced(const State& state, ask::Request& request,
                                   const std::stop_token& stop) {
  const auto refused = [&](const ask::Candidate& model) {
    return ask::unpriced(request, model).has_value();
  };
  if (std::ranges::none_of(request.models, refused)) return {};
  // A caller with a token must not occupy a worker for the time of a fetch.
  if (request.bearer.empty() && state.config.refresh_prices && refresher_.wait(stop, kPriceFetch)) {
    auto models = state.models->candidates(state.pricing, stop);
    if (!models) return std::move(models).error();
    request.models = std::move(*models);
  }
  if (std::ranges::all_of(request.models, refused))
    return *ask::unpriced(request, request.models.front());
  return {};
}

}  // namespace quarry::engine
