#pragma once

#include "base/error.h"
#include "base/json.h"
#include "resources/library.h"

#include <string>

namespace quarry::engine {

/// `outcome`, but an older state that answers because its source could not be reached is a failure.
Result<resources::Prepared> current(Result<resources::Prepared> outcome);

/// What a method says of one resource it prepared: {"name", "version", "display", "changed",
/// "fetchedAt"}, or {"name", "error": {"tag", "code", "message", "hint"?}}.
Json outcome_row(const std::string& name, const Result<resources::Prepared>& outcome);

}  // namespace quarry::engine
