#pragma once

#include "base/error.h"

#include <string_view>

namespace quarry {

/// The code's name on the wire ("unavailable", "resource_exhausted"), as the SDK calls it.
[[nodiscard]] std::string_view name_of(Code code);
/// The code of that name; kInternal for unknown names.
[[nodiscard]] Code code_named(std::string_view name);
/// The code of a failure's `quarry_status`; kInternal for QUARRY_OK and for statuses that this host
/// does not know, as the plugin contract says.
[[nodiscard]] Code code_of_status(int status);

}  // namespace quarry
