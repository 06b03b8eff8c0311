#include "pricing-genai-prices/catalogue.h"

#include "pricing-genai-prices/match.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace quarry::pricing_genai_prices {
namespace {

constexpr std::int64_t kNanos = 1'000'000'000;
constexpr std::size_t kMaxName = 256;            // the stack use of an expression grows with it
constexpr std::string_view kGoogle = "models/";  // prefix of models in Google's API
constexpr std::array<const char*, 5> kRates = {"input", "output", "reasoning", "cacheRead",
                                               "cacheWrite"};

const ProviderRow* find_provider(const Tables& tables, std::string_view name) {
  for (const ProviderRow& row : tables.providers) {
    if (tables.text.substr(row.text, row.size) == name) return &row;
  }
  for (const ProviderRow& row : tables.providers) {
    if (row.rule >= 0 && holds(tables, static_cast<std::uint32_t>(row.rule), name)) return &row;
  }
  return nullptr;
}

const ModelRow* own_model(const Tables& tables, const ProviderRow& provider,
                          std::string_view name) {
  const auto models = tables.models.subspan(provider.first_model, provider.model_count);
  const auto found = std::ranges::find_if(
      models, [&](const ModelRow& row) { return holds(tables, row.rule, name); });
  return found == models.end() ? nullptr : &*found;
}

const ModelRow* find_model(const Tables& tables, const ProviderRow& provider,
                           std::string_view name) {
  if (const ModelRow* own = own_model(tables, provider, name)) return own;
  for (const std::uint16_t other :
       tables.fallbacks.subspan(provider.first_fallback, provider.fallback_count)) {
    if (const ModelRow* found = own_model(tables, tables.providers[other], name)) return found;
  }
  return nullptr;
}

bool holds_at(const PriceRow& price, Moment now) {
  const auto day = std::chrono::floor<std::chrono::days>(now);
  const std::chrono::year_month_day date{day};
  const auto today = static_cast<std::uint32_t>(static_cast<int>(date.year()) * 10'000) +
                     static_cast<unsigned>(date.month()) * 100 + static_cast<unsigned>(date.day());
  const auto second = static_cast<std::uint32_t>(
      std::chrono::duration_cast<std::chrono::seconds>(now - day).count());
  switch (price.when) {
    case When::kAlways:
      return true;
    case When::kFromDay:
      return today >= price.from;
    case When::kDaily:
      return price.until < price.from ? second >= price.from || second < price.until
                                      : second >= price.from && second < price.until;
  }
  return false;
}

const PriceRow& price_at(std::span<const PriceRow> prices, Moment now) {
  for (std::size_t i = prices.size(); i-- > 1;) {
    if (holds_at(prices[i], now)) return prices[i];
  }
  return prices.front();
}

std::string decimal(std::int64_t nanos) {
  std::string out = std::to_string(nanos / kNanos);
  if (nanos % kNanos == 0) return out;
  std::string fraction = std::to_string(nanos % kNanos + kNanos);
  fraction.front() = '.';
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return out + fraction;
}

void add_rates(std::string& out, const RateRow& rates) {
  for (std::size_t i = 0; i < kRates.size(); ++i) {
    if (rates[i] < 0) continue;
    out.append(",\"").append(kRates[i]).append("\":\"").append(decimal(rates[i])).append(1, '"');
  }
}

}  // namespace

std::string rates(const Tables& tables, std::string_view provider, std::string_view model,
                  Moment now) {
  if (provider == "google" && model.starts_with(kGoogle)) model.remove_prefix(kGoogle.size());
  const std::string name = normal_name(model);
  const ProviderRow* const seller = name.size() > kMaxName || provider.size() > kMaxName
                                        ? nullptr
                                        : find_provider(tables, normal_name(provider));
  if (seller == nullptr) return "null";
  const ModelRow* found = find_model(tables, *seller, name);
  if (found == nullptr) found = find_model(tables, *seller, with_dashed_dates(name));
  if (found == nullptr) return "null";
  const PriceRow& price =
      price_at(tables.prices.subspan(found->first_price, found->price_count), now);
  if (price.rates[0] < 0 && price.rates[1] < 0) return "null";
  std::string out = R"({"source":"genai-prices")";
  if (!tables.date.empty()) out.append(R"(,"date":")").append(tables.date).append(1, '"');
  add_rates(out, price.rates);
  std::string tiers;
  for (const TierRow& tier : tables.tiers.subspan(price.first_tier, price.tier_count)) {
    tiers += (tiers.empty() ? "" : ",") + (R"({"above":)" + std::to_string(tier.above));
    add_rates(tiers, tier.rates);
    tiers += '}';
  }
  if (!tiers.empty()) out += ",\"tiers\":[" + tiers + "]";
  return out + "}";
}

}  // namespace quarry::pricing_genai_prices
