#pragma once

namespace quarry {

/// JSON Schema of what every resource has, in a file and on the wire: the rule for names stands
/// here and nowhere else. What a type adds is in its plugin's schema.
inline constexpr const char* kResourceSchema = R"json({
  "type": "object",
  "required": ["type", "name"],
  "properties": {
    "type": {"type": "string", "minLength": 1},
    "name": {"type": "string", "minLength": 1, "maxLength": 64,
             "pattern": "^@?[a-zA-Z0-9][a-zA-Z0-9._-]*(/[a-zA-Z0-9][a-zA-Z0-9._-]*)*$",
             "not": {"pattern": "[.][.]"},
             "description": "must be letters, digits, '.', '_', '-' and '/', as in \"@scope/name\""}
  },
  "additionalProperties": {}
})json";

}  // namespace quarry
