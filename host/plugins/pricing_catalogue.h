#pragma once

#include "base/decimal.h"
#include "base/error.h"
#include "plugins/call.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::plugins {

/// Prices per 1,000,000 tokens; nothing = not known, which is not zero.
struct Rates {
  std::optional<Money> input;
  std::optional<Money> output;
  std::optional<Money> reasoning;  ///< nothing = billed as output
  std::optional<Money> cache_read;
  std::optional<Money> cache_write;
};

/// What a request costs as a whole when its input is larger than `above` tokens. A rate it leaves
/// out is the one that holds below.
struct Tier {
  std::int64_t above = 0;
  Rates rates;
};

struct ModelRates {
  std::string source;  ///< "models.dev"
  std::string date;    ///< of the catalogue; may be empty
  Rates rates;
  std::vector<Tier> tiers;  ///< rising
};

/// What became of a refresh.
struct Refreshed {
  bool changed = false;  ///< prices are other ones now
  /// When to refresh again; nothing = never.
  std::optional<std::chrono::milliseconds> next;
};

/// A catalogue of what tokens cost (quarry/pricing.h).
class PricingCatalogue {
 public:
  virtual ~PricingCatalogue() = default;
  /// Nothing when the catalogue does not know the model. [any]
  virtual Result<std::optional<ModelRates>> rates(std::string_view provider,
                                                  std::string_view model) = 0;
  /// Makes it current when it is due; one that cannot be refreshed never is. [worker]
  virtual Result<Refreshed> refresh(const Call& call) = 0;
};

/// In the order in which they are asked.
using PricingCatalogues = std::vector<std::shared_ptr<PricingCatalogue>>;

}  // namespace quarry::plugins
