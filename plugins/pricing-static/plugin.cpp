#include "pricing-static/static_prices.h"

#include <quarry/plugin.hpp>

namespace {

class Catalogue {
 public:
  static quarry::Outcome<std::unique_ptr<Catalogue>> create(quarry::Host,
                                                            std::string_view configuration) {
    auto prices = quarry::pricing_static::StaticPrices::read(configuration);
    if (!prices) return prices.failure();
    return std::make_unique<Catalogue>(std::move(*prices));
  }
  explicit Catalogue(std::unique_ptr<quarry::pricing_static::StaticPrices> prices)
      : prices_(std::move(prices)) {}

  std::string rates(std::string_view provider, std::string_view model) {
    return prices_->rates(provider, model);
  }

 private:
  std::unique_ptr<quarry::pricing_static::StaticPrices> prices_;
};

}  // namespace

QUARRY_PLUGIN("io.quarry.pricing-static", QUARRY_VERSION, quarry::pricing<Catalogue>("static"))
