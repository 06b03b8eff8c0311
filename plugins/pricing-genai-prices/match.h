#pragma once

#include "pricing-genai-prices/tables.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace quarry::pricing_genai_prices {

/// `name` as rules expect it: ASCII lower case, without surrounding spaces.
std::string normal_name(std::string_view name);

/// True if the rule at `index` matches a normal name.
bool holds(const Tables& tables, std::uint32_t index, std::string_view name);

/// `name` with every date written "-20260131" as "-2026-01-31"; other digits stay.
std::string with_dashed_dates(std::string_view name);

}  // namespace quarry::pricing_genai_prices
