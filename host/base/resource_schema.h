#pragma once

namespace quarry {

/// JSON Schema of what every resource has, in a file and on the wire: the rule for names stands
/// here and nowhere else. What a type adds is in its plugin's schema.
///
/// `refresh` and `refreshInBackground` are the host's own: they say when a source is asked for
/// news, not which source it is, and no plugin sees them.
inline constexpr const char* kResourceSchema = R"json({
  "type": "object",
  "required": ["type", "name"],
  "properties": {
    "type": {"type": "string", "minLength": 1},
    "name": {"type": "string", "minLength": 1, "maxLength": 64,
             "pattern": "^@?[a-zA-Z0-9][a-zA-Z0-9._-]*(/[a-zA-Z0-9][a-zA-Z0-9._-]*)*$",
             "not": {"pattern": "[.][.]"},
             "description": "must be letters, digits, '.', '_', '-' and '/', as in \"@scope/name\""},
    "refresh": {"type": ["string", "null"], "pattern": "^(always|never|[1-9][0-9]{0,5}[smhd])$",
                "description": "must be \"always\", \"never\", or a time such as \"90s\", \"15m\", \"1h\" or \"7d\""},
    "refreshInBackground": {"type": ["boolean", "null"]}
  },
  "additionalProperties": {}
})json";

}  // namespace quarry
