#pragma once

#include "base/error.h"

#include <string>
#include <string_view>
#include <vector>

namespace quarry::plugins {

/// Checks that `bytes` are a complete shared object for this machine, with each segment and section
/// inside the file: the dynamic linker maps without checks, and a truncated file would crash the
/// process. Returns the exported names, in order. kInvalidArgument names the defect. [any]
Result<std::vector<std::string>> check_shared_object(std::string_view bytes);

}  // namespace quarry::plugins
