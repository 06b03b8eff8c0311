#pragma once

#include "plugins/pricing_catalogue.h"

#include <optional>
#include <string>
#include <string_view>

namespace quarry::engine {

/// Rates of `model` of a provider that is configured as `id`: those of the configuration for this
/// name, else those of its vendor. A provider of unknown vendor (empty) gets no price from a public
/// catalogue, because its base URL may lead to any server. [any]
std::optional<plugins::ModelRates> rates_of(std::string_view id, const std::string& vendor,
                                            std::string_view model,
                                            const plugins::PricingCatalogues& pricing);

}  // namespace quarry::engine
