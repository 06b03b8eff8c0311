#include "pricing-genai-prices/tables.h"

#include "genai_prices_data.h"

namespace quarry::pricing_genai_prices {

const Tables& built_in_tables() {
  static constexpr Tables tables{.date = data::kDate,
                                 .text = {data::kText.data(), data::kText.size()},
                                 .rules = data::kRules,
                                 .tiers = data::kTiers,
                                 .prices = data::kPrices,
                                 .models = data::kModels,
                                 .fallbacks = data::kFallbacks,
                                 .providers = data::kProviders};
  return tables;
}

}  // namespace quarry::pricing_genai_prices
