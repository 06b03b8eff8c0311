#include "model-openai/provider.h"

#include <quarry/plugin.hpp>

#include <cstdlib>

namespace {

using namespace quarry::openai;

template <const Vendor& kVendor>
class Service : public Provider {
 public:
  explicit Service(Provider provider) : Provider(std::move(provider)) {}

  static quarry::Outcome<std::unique_ptr<Service>> create(quarry::Host host,
                                                          std::string_view configuration) {
    auto made = Provider::make(kVendor, host, configuration,
                               [](const char* name) { return std::getenv(name); });
    if (!made) return made.failure();
    return std::make_unique<Service>(std::move(*made));
  }
};

template <const Vendor& kVendor>
constexpr quarry_component service() {
  return quarry::model<Service<kVendor>>(kVendor.name);
}

}  // namespace

QUARRY_PLUGIN("io.quarry.model-openai", QUARRY_VERSION, service<kOpenAi>(), service<kOpenRouter>(),
              service<kGroq>(), service<kMistral>(), service<kDeepSeek>(), service<kLmStudio>(),
              service<kLlamaCpp>(), service<kVllm>())
