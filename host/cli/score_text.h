#pragma once

#include "base/json.h"

#include <string>

namespace quarry::cli {

/// The member "explain" of a hit of tools.search as lines for the terminal: the sum of each kind
/// of evidence and the factors, then the terms of each kind.
[[nodiscard]] std::string explanation_text(const Json& explain);

}  // namespace quarry::cli
