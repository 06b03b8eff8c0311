#pragma once

#include "ask/question.h"
#include "base/error.h"

#include <optional>

namespace quarry::ask {

/// True if the price of `candidate` is fully known, or it costs nothing. [any]
[[nodiscard]] bool is_priced(const Candidate& candidate);

/// True if a limit in money applies to `request`: its own, or one of its shared_budget. [any]
[[nodiscard]] bool is_limited_in_money(const Request& request);

/// Error if `candidate` may not be asked: spending is limited and its price is not fully known, so
/// the limit could not be enforced. Nothing if it may; a model that costs nothing always may. The
/// hint is the missing line of the configuration. [any]
[[nodiscard]] std::optional<Error> unpriced(const Request& request, const Candidate& candidate);

}  // namespace quarry::ask
