#include "engine/price_catalogues.h"

#include "base/text.h"
#include "plugins/unavailable_type.h"

#include <quarry/pricing.h>

#include <algorithm>
#include <iterator>

namespace quarry::engine {
namespace {

/// The first catalogue with a price wins: negotiated prices, then a current catalogue, then the one
/// included in the program.
const std::vector<std::string> kUsualOrder = {"static", "models-dev", "genai-prices"};

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

Status check_order(const std::vector<std::string>& order, const std::vector<std::string>& names,
                   const plugins::Registry& registry) {
  for (const std::string& name : order) {
    if (holds(names, name)) continue;
    if (plugins::why_unusable(registry.unusable(), QUARRY_PRICING, name)) continue;
    return Error{Code::kInvalidArgument,
                 "pricing.order names \"" + name +
                     "\", which no plugin offers; there are: " + join(names, ", "),
                 "\"quarry plugins list\" shows what is installed."}
        .tagged("ConfigError");
  }
  return {};
}

}  // namespace

std::vector<std::string> asked_in_order(std::vector<std::string> names,
                                        const std::vector<std::string>& order) {
  std::vector<std::string> wanted = order;
  std::ranges::copy(kUsualOrder, std::back_inserter(wanted));
  std::ranges::sort(names);
  std::ranges::stable_sort(names, {}, [&](const std::string& name) {
    return std::ranges::find(wanted, name) - wanted.begin();
  });
  return names;
}

Result<plugins::PricingCatalogues> make_catalogues(const config::Config& config,
                                                   plugins::Registry& registry,
                                                   std::vector<std::string>& problems) {
  const std::vector<std::string> names = registry.names(QUARRY_PRICING);
  if (Status known = check_order(config.pricing_order, names, registry); !known) {
    return known.error();
  }
  plugins::PricingCatalogues out;
  for (const std::string& name : asked_in_order(names, config.pricing_order)) {
    if (holds(config.disabled_pricing, name)) continue;
    const auto table = config.pricing.find(name);
    const bool configured = table != config.pricing.end();
    auto made = registry.make_pricing(name, configured ? table->second.json : "{}");
    if (made) {
      out.push_back(std::move(*made));
    } else if (configured && made.error().code == Code::kInvalidArgument) {
      return config::at_places(std::move(made).error().tagged("ConfigError"), table->second);
    } else {
      problems.push_back(with_hint(std::move(made).error().in("the price catalogue " + name)));
    }
  }
  return out;
}

}  // namespace quarry::engine
