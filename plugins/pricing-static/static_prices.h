#pragma once

#include <quarry/outcome.hpp>

#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace quarry::pricing_static {

/// Rates from the configuration: "<provider>/<model>" = { input = "1.25", output = "10", reasoning,
/// cacheRead, cacheWrite }, decimal strings of USD per 1,000,000 tokens.
class StaticPrices {
 public:
  /// QUARRY_INVALID_ARGUMENT names the member that is not a rate.
  static Outcome<std::unique_ptr<StaticPrices>> read(std::string_view configuration);

  /// The rates in the form of quarry.pricing/1; "null" when the model is not configured.
  [[nodiscard]] std::string rates(std::string_view provider, std::string_view model) const;

 private:
  std::map<std::string, std::string, std::less<>> rates_;  // "<provider>/<model>" -> JSON
};

}  // namespace quarry::pricing_static
