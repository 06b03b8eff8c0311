#pragma once

#include "base/error.h"
#include "base/json.h"

#include <set>
#include <string>
#include <string_view>

namespace quarry::config {

/// The dotted key that the environment variable sets: QUARRY_MODEL_MAX_STEPS sets model.max_steps,
/// QUARRY_PLUGIN_PATH sets plugin_path. Empty for a variable that sets none: its name does not
/// begin with a table or top-level key of the schema, or it ends in _DIR (services/paths.h).
/// kInvalidArgument for a key inside a table of named tables (transport, resource_type …) or of a
/// list of tables, which one name cannot express.
Result<std::string> key_of_variable(std::string_view variable);

/// The variable that sets the key: "QUARRY_MODEL_MAX_STEPS" for "model.max_steps"; empty if none
/// does.
std::string variable_of(std::string_view key);

/// The names in the references { env = "NAME" } of `configuration`: variables that hold secrets,
/// under any name.
std::set<std::string, std::less<>> referenced_variables(const Json& configuration);

}  // namespace quarry::config
