#pragma once

#include "base/error.h"
#include "base/json.h"
#include "plugins/value_texts.h"

#include <string>

namespace quarry::plugins {

/// Parses a plugin's reply and checks it by its schema, which lives as long as the program. Members
/// that the schema does not name are ignored. kInternal with the JSON pointer of the first mistake
/// when the reply does not follow the schema; `reply` itself when it is a failure. [any]
Result<Json> read_value(const ValueText& value, Result<std::string> reply);

}  // namespace quarry::plugins
