#pragma once

#include "base/json.h"

#include <string>

namespace quarry {

/// The member `name` of `value`; null if there is none, or it is a JSON null.
[[nodiscard]] const Json* find_member(const Json& value, const char* name);

/// The text of the member `name`; empty unless there is one.
[[nodiscard]] std::string text_of(const Json& value, const char* name);

}  // namespace quarry
