#include "pricing-genai-prices/catalogue.h"

#include <quarry/json.hpp>
#include <quarry/plugin.hpp>

namespace {

namespace genai = quarry::pricing_genai_prices;

class GenaiPrices {
 public:
  static quarry::Outcome<std::unique_ptr<GenaiPrices>> create(quarry::Host host,
                                                              std::string_view configuration) {
    quarry_json_walk walk{quarry::as_text(configuration), 0};
    quarry_text key{};
    quarry_text value{};
    if (quarry_json_next(&walk, &key, &value)) {
      return quarry::field_failure("/" + std::string(quarry::as_view(key)),
                                   "is not known; there is nothing to set but enabled");
    }
    return std::make_unique<GenaiPrices>(host);
  }
  explicit GenaiPrices(quarry::Host host) : host_(host) {}

  std::string rates(std::string_view provider, std::string_view model) {
    return genai::rates(genai::built_in_tables(), provider, model, now());
  }

 private:
  [[nodiscard]] genai::Moment now() const {
    const auto* clock = host_.service<quarry_clock_v1>(QUARRY_CLOCK);
    if (clock != nullptr) return genai::Moment(std::chrono::milliseconds(clock->wall_ms(clock)));
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  }

  quarry::Host host_;
};

}  // namespace

QUARRY_PLUGIN("io.quarry.pricing-genai-prices", QUARRY_VERSION,
              quarry::pricing<GenaiPrices>("genai-prices"))
