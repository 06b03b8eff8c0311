#include "engine/model_rates.h"

#include <utility>

namespace quarry::engine {
namespace {

/// The catalogue of prices from the configuration.
constexpr std::string_view kOwnPrices = "static";

using Rates = std::optional<plugins::ModelRates>;

Rates first_known(const plugins::PricingCatalogues& pricing, std::string_view provider,
                  std::string_view model, bool own_only = false) {
  for (const auto& catalogue : pricing) {
    auto found = catalogue->rates(provider, model);
    if (!found || !*found) continue;
    if (!own_only || (*found)->source == kOwnPrices) return std::move(*found);
  }
  return std::nullopt;
}

}  // namespace

Rates rates_of(std::string_view id, const std::string& vendor, std::string_view model,
               const plugins::PricingCatalogues& pricing) {
  if (vendor.empty()) return first_known(pricing, id, model, true);
  Rates own = first_known(pricing, id, model);
  if (own && own->source == kOwnPrices) return own;
  Rates billed = first_known(pricing, vendor, model);
  return billed ? std::move(billed) : first_known(pricing, id, model, true);
}

}  // namespace quarry::engine
