#pragma once

#include "base/error.h"
#include "cli/signals.h"

#include <cstddef>
#include <string>

namespace quarry::cli {

/// Standard input to its end, or somewhat more than `most` bytes of it. kCancelled after an
/// interrupt.
Result<std::string> read_standard_input(Signals& signals, std::size_t most);

}  // namespace quarry::cli
