// Groups calls and pricing: the functions of price catalogues.

#include "conformance/checks.h"

#include <quarry/pricing.h>

namespace quarry::conformance {
namespace {

using plugins::PricingCatalogue;

constexpr std::string_view kPricedVendor = "openai";
constexpr std::string_view kPricedModel = "gpt-4o";

Verdict for_each_catalogue(
    Trial& trial,
    const std::function<Verdict(const Made&, PricingCatalogue&, const KitHost&)>& check) {
  return for_each(trial, QUARRY_PRICING, [&](Generation& generation, const Made& made) {
    const auto catalogue = plugins::adapt_pricing(made.instance);
    return check(made, **catalogue, generation.host);
  });
}

}  // namespace

Verdict rates_replies(Trial& trial) {
  return for_each_catalogue(trial,
                            [&](const Made& made, PricingCatalogue& catalogue, const KitHost&) {
                              trial.at(made, "rates");
                              const auto rates = catalogue.rates(kPricedVendor, kPricedModel);
                              return rates ? Verdict() : judge(rates.error());
                            });
}

Verdict rates_offline(Trial& trial) {
  return for_each_catalogue(
      trial, [&](const Made& made, PricingCatalogue& catalogue, const KitHost& host) {
        const int before = host.requests();
        trial.at(made, "rates");
        static_cast<void>(catalogue.rates(kPricedVendor, kPricedModel));
        return host.requests() == before ? Verdict()
                                         : fails("rates used the HTTP service",
                                                 "use the network in refresh, and keep the prices");
      });
}

Verdict unknown_model_unpriced(Trial& trial) {
  return for_each_catalogue(
      trial, [&](const Made& made, PricingCatalogue& catalogue, const KitHost&) {
        trial.at(made, "rates");
        const auto rates = catalogue.rates("no-such-vendor", "no-such-model");
        if (!rates) return judge(rates.error());
        return *rates ? fails("it has rates for a model that does not exist",
                              "reply with null for a model that the catalogue does not know")
                      : Verdict();
      });
}

Verdict refresh_replies(Trial& trial) {
  return for_each_catalogue(trial,
                            [&](const Made& made, PricingCatalogue& catalogue, const KitHost&) {
                              trial.at(made, "refresh");
                              const auto refreshed = catalogue.refresh({});
                              return refreshed ? Verdict() : judge(refreshed.error());
                            });
}

}  // namespace quarry::conformance
