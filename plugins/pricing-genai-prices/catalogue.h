#pragma once

#include "pricing-genai-prices/tables.h"

#include <chrono>
#include <string>
#include <string_view>

namespace quarry::pricing_genai_prices {

using Moment = std::chrono::sys_time<std::chrono::milliseconds>;

/// quarry_pricing_v1.rates with the prices valid at `now`. The provider must be known; the model is
/// found by its provider's own rules (dates, aliases, prefixes), then by those of the providers
/// whose models it offers. "null" where each call has its own price, which rates per token cannot
/// express. Any thread.
std::string rates(const Tables& tables, std::string_view provider, std::string_view model,
                  Moment now);

}  // namespace quarry::pricing_genai_prices
