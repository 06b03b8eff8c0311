#pragma once

#include "base/error.h"
#include "base/json.h"
#include "base/schema.h"

#include <string_view>

namespace quarry::engine {

/// A schema of ours, which is right.
Schema compiled(std::string_view text);

/// Strict JSON of this schema. Every mistake is in the details of an error of that tag, whose
/// message is `what`; what is no JSON at all is a RequestError. Unknown members are ignored.
Result<Json> read_params(std::string_view params, const Schema& schema, std::string_view what,
                         std::string_view tag);

/// A member that is there and not null; else null.
const Json* given(const Json& value, const char* member);

}  // namespace quarry::engine
