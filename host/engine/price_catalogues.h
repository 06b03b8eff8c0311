#pragma once

#include "base/error.h"
#include "config/config.h"
#include "plugins/pricing_catalogue.h"
#include "plugins/registry.h"

#include <string>
#include <vector>

namespace quarry::engine {

/// `names` in the order in which catalogues are asked: those of `order`, then negotiated prices,
/// models.dev, genai-prices, then others by name.
std::vector<std::string> asked_in_order(std::vector<std::string> names,
                                        const std::vector<std::string>& order);

/// Makes every catalogue that is not disabled. One whose plugin fails is added to `problems`; a
/// mistake in its table is a ConfigError with the place.
Result<plugins::PricingCatalogues> make_catalogues(const config::Config& config,
                                                   plugins::Registry& registry,
                                                   std::vector<std::string>& problems);

}  // namespace quarry::engine
