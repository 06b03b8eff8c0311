#pragma once

#include "base/error.h"
#include "base/json.h"
#include "resources/library.h"

#include <string>

namespace quarry::engine {

/// `outcome`, with an error instead of a stale snapshot whose source could not be reached.
Result<resources::Prepared> current(Result<resources::Prepared> outcome);

/// Result row of one prepared resource: {"name", "version", "display", "changed",
/// "fetchedAt"}, or {"name", "error": {"tag", "code", "message", "hint"?}}.
Json outcome_row(const std::string& name, const Result<resources::Prepared>& outcome);

}  // namespace quarry::engine
