#pragma once

#include "base/decimal.h"
#include "base/error.h"
#include "services/call.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::plugins {

/// Prices per 1,000,000 tokens; empty = unknown, which is not zero.
struct Rates {
  std::optional<Money> input;
  std::optional<Money> output;
  std::optional<Money> reasoning;  ///< empty = billed as output
  std::optional<Money> cache_read;
  std::optional<Money> cache_write;
};

/// Rates of the whole request if its input is larger than `above` tokens. A missing rate is that of
/// the tier below.
struct Tier {
  std::int64_t above = 0;
  Rates rates;
};

struct ModelRates {
  std::string source;  ///< "models.dev"
  std::string date;    ///< of the catalogue; may be empty
  Rates rates;
  std::vector<Tier> tiers;  ///< in ascending order of `above`
};

/// Outcome of a refresh.
struct Refreshed {
  bool changed = false;  ///< prices have changed
  /// Time until the next refresh; empty = never.
  std::optional<std::chrono::milliseconds> next;
};

/// A catalogue of token prices (quarry/pricing.h).
class PricingCatalogue {
 public:
  virtual ~PricingCatalogue() = default;
  /// Empty if the catalogue does not know the model. [any]
  virtual Result<std::optional<ModelRates>> rates(std::string_view provider,
                                                  std::string_view model) = 0;
  /// Updates the catalogue if it is due; one that cannot be refreshed never is. [worker]
  virtual Result<Refreshed> refresh(const services::Call& call) = 0;
};

/// In order of lookup.
using PricingCatalogues = std::vector<std::shared_ptr<PricingCatalogue>>;

}  // namespace quarry::plugins
