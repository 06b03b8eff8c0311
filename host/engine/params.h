#pragma once

#include "base/error.h"
#include "base/json.h"
#include "base/schema.h"

#include <string_view>

namespace quarry::engine {

/// Compiles a schema of this program, which must be valid.
Schema compiled(std::string_view text);

/// Parses strict JSON and checks it against `schema`. Errors have the message `what`, the tag `tag`
/// and every mistake in the details; text that is not JSON is a RequestError. Unknown members are
/// ignored.
Result<Json> read_params(std::string_view params, const Schema& schema, std::string_view what,
                         std::string_view tag);

/// The member if it exists and is not a JSON null; else a null pointer.
const Json* given(const Json& value, const char* member);

}  // namespace quarry::engine
