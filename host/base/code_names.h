#pragma once

#include "base/error.h"

#include <string_view>

namespace quarry {

/// The code's name on the wire ("unavailable", "resource_exhausted"), as the SDK calls it.
[[nodiscard]] std::string_view name_of(Code code);
/// The code of that name; kInternal for unknown names.
[[nodiscard]] Code code_named(std::string_view name);

}  // namespace quarry
