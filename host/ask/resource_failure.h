#pragma once

#include "base/error.h"

#include <vector>

namespace quarry::ask {

/// Error of a question without usable resources: every cause, which names its resource, in the
/// order of the resources, and every hint. `causes` has at least one; a single one is returned
/// unchanged.
Error resource_failure(std::vector<Error> causes);

}  // namespace quarry::ask
