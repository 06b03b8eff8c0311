#pragma once

#include <quarry/pricing.h>

namespace quarry::runner {

/// Table of price catalogues in a runner; instances are RemoteInstance*.
extern const quarry_pricing_v1 kRemotePricing;

}  // namespace quarry::runner
