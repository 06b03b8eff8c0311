#pragma once

#include "runner/protocol.h"

#include <chrono>
#include <string_view>

namespace quarry::runner {

/// Name of a function for messages, as in the SDK's headers.
[[nodiscard]] std::string_view name_of(Function function);
/// Longest time for a call of it whose caller sets no deadline.
[[nodiscard]] std::chrono::milliseconds limit_of(Function function);

}  // namespace quarry::runner
