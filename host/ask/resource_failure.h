#pragma once

#include "base/error.h"

#include <vector>

namespace quarry::ask {

/// Why a question has nothing to rest on: every cause in the order of the resources, whose names
/// they bear, and what to do about each. At least one; a single one stays as it is.
Error resource_failure(std::vector<Error> causes);

}  // namespace quarry::ask
