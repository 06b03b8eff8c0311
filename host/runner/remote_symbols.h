#pragma once

#include <quarry/draft/symbols.h>

namespace quarry::runner {

/// Table of analysers in a runner; instances are RemoteInstance*.
extern const quarry_symbols_v1 kRemoteSymbols;

}  // namespace quarry::runner
