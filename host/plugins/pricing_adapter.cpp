#include "plugins/adapters.h"
#include "plugins/component_reply.h"
#include "plugins/json_members.h"
#include "plugins/read_value.h"

#include <quarry/pricing.h>

#include <cstddef>
#include <utility>

namespace quarry::plugins {
namespace {

constexpr std::int64_t kLongest = 366LL * 24 * 3'600'000;

Status read_rate(const Json& said, const char* key, std::optional<Money>& rate) {
  const auto text = string_member(said, key);
  if (text.empty()) return {};
  const auto money = parse_money(text);
  if (!money) return Error(Code::kInternal, std::string("rate \"") + key + "\" is no price");
  rate = *money;
  return {};
}

Result<Rates> read_rates(const Json& said) {
  Rates rates;
  const std::pair<const char*, std::optional<Money>*> members[] = {
      {"input", &rates.input},
      {"output", &rates.output},
      {"reasoning", &rates.reasoning},
      {"cacheRead", &rates.cache_read},
      {"cacheWrite", &rates.cache_write}};
  for (const auto& [key, rate] : members) {
    if (auto read = read_rate(said, key, *rate); !read) return std::move(read.error());
  }
  return rates;
}

Result<ModelRates> read_model_rates(const Json& said) {
  auto rates = read_rates(said);
  if (!rates) return std::move(rates.error());
  ModelRates model{.source = string_member(said, "source"),
                   .date = string_member(said, "date"),
                   .rates = *rates,
                   .tiers = {}};
  const auto tiers = said.find("tiers");
  if (tiers == said.end()) return model;
  for (const Json& tier : *tiers) {
    auto above = read_rates(tier);
    if (!above) return std::move(above.error());
    model.tiers.push_back({integer_member(tier, "above"), *above});
  }
  std::ranges::sort(model.tiers, {}, &Tier::above);
  return model;
}

class PricingAdapter final : public PricingCatalogue {
 public:
  explicit PricingAdapter(std::shared_ptr<Instance> instance)
      : instance_(std::move(instance)),
        table_(*static_cast<const quarry_pricing_v1*>(instance_->table())) {}

  Result<std::optional<ModelRates>> rates(std::string_view provider,
                                          std::string_view model) override {
    const auto said =
        read_value(kPricingRates, reply_of(*instance_, function::kRates, {}, {}, table_.rates,
                                           std::string(provider), std::string(model)));
    if (!said) return instance_->blame(said.error());
    if (said->is_null()) return std::optional<ModelRates>();
    auto rates = read_model_rates(*said);
    if (!rates) return instance_->blame(std::move(rates.error()));
    return std::optional<ModelRates>(std::move(*rates));
  }

  Result<Refreshed> refresh(const services::Call& call) override {
    if (!QUARRY_HAS(&table_, refresh) || table_.refresh == nullptr) {
      return Refreshed{};
    }
    const auto said = read_value(
        kPricingRefreshed, reply_of(*instance_, function::kRefresh, call, {}, table_.refresh));
    if (!said) return instance_->blame(said.error());
    Refreshed out{bool_member(*said, "changed"), std::nullopt};
    const std::int64_t next = integer_member(*said, "nextMs");
    if (next > 0) out.next = std::chrono::milliseconds(std::min(next, kLongest));
    return out;
  }

 private:
  std::shared_ptr<Instance> instance_;
  const quarry_pricing_v1& table_;
};

}  // namespace

Result<std::shared_ptr<PricingCatalogue>> adapt_pricing(std::shared_ptr<Instance> instance) {
  return std::shared_ptr<PricingCatalogue>(std::make_shared<PricingAdapter>(std::move(instance)));
}

}  // namespace quarry::plugins
