#include "pricing-models-dev/catalogue.h"

#include <quarry/plugin.hpp>

namespace {

class ModelsDev {
 public:
  static quarry::Outcome<std::unique_ptr<ModelsDev>> create(quarry::Host host,
                                                            std::string_view configuration) {
    auto settings = quarry::pricing_models_dev::Settings::read(configuration);
    if (!settings) return settings.failure();
    return std::make_unique<ModelsDev>(host, std::move(*settings));
  }
  ModelsDev(quarry::Host host, quarry::pricing_models_dev::Settings settings)
      : catalogue_(host, std::move(settings)) {}

  std::string rates(std::string_view provider, std::string_view model) {
    return catalogue_.rates(provider, model);
  }
  quarry::Outcome<std::string> refresh(const quarry::Call& call) {
    return catalogue_.refresh(call);
  }

 private:
  quarry::pricing_models_dev::Catalogue catalogue_;
};

}  // namespace

QUARRY_PLUGIN("io.quarry.pricing-models-dev", QUARRY_VERSION,
              quarry::pricing<ModelsDev>("models-dev", QUARRY_SERIAL))
