#pragma once

#include "ask/question.h"
#include "base/error.h"

#include <optional>

namespace quarry::ask {

/// A limit in money holds for `request`: its own, or one of its shared_budget. [any]
[[nodiscard]] bool is_limited_in_money(const Request& request);

/// Why `candidate` may not be asked: its price is not known in full where money is limited, so that
/// the limit could not be kept. Nothing when it may; a model that costs nothing always may. The
/// hint is the line of the configuration that is missing. [any]
[[nodiscard]] std::optional<Error> unpriced(const Request& request, const Candidate& candidate);

}  // namespace quarry::ask
