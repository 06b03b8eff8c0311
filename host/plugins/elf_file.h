#pragma once

#include "base/error.h"

#include <string>
#include <string_view>
#include <vector>

namespace quarry::plugins {

/// Checks that `bytes` are a whole shared object for this machine, each segment and section inside
/// the file, since the dynamic linker maps without looking and a truncated copy ends the process.
/// The value is the names it exports, in order. kInvalidArgument says what is wrong. [any]
Result<std::vector<std::string>> check_shared_object(std::string_view bytes);

}  // namespace quarry::plugins
