#pragma once

namespace quarry {

/// JSON Schema of the members common to all resources, in a file and on the wire; the only
/// definition of the rule for names. Members of a type are in its plugin's schema.
///
/// A "default" would be shown for a resource that leaves the member out; "defaultDescription" is
/// not.
///
/// `refresh` and `refreshInBackground` belong to the host: they say when a source is checked for
/// updates, not which source it is, and are not passed to plugins.
inline constexpr const char* kResourceSchema = R"json({
  "type": "object",
  "required": ["type", "name"],
  "properties": {
    "type": {"type": "string", "minLength": 1,
             "description": "Its type: one that a plugin offers, as in `\"git\"`."},
    "name": {"type": "string", "minLength": 1, "maxLength": 64,
             "pattern": "^@?[a-zA-Z0-9][a-zA-Z0-9._-]*(/[a-zA-Z0-9][a-zA-Z0-9._-]*)*$",
             "not": {"pattern": "[.][.]"},
             "patternErrorMessage": "must be letters, digits, '.', '_', '-' and '/', as in \"@scope/name\"",
             "description": "Letters, digits, `.`, `_`, `-` and `/`, as in `@scope/name`; unique in any case of letters."},
    "refresh": {"type": ["string", "null"], "pattern": "^(always|never|[1-9][0-9]{0,5}[smhd])$",
                "patternErrorMessage": "must be \"always\", \"never\", or a time such as \"90s\", \"15m\", \"1h\" or \"7d\"",
                "defaultDescription": "`\"15m\"`",
                "description": "When the source is checked for updates: `\"always\"`, `\"never\"`, or a time since the last check (`\"90s\"`, `\"1h\"`, `\"7d\"`)."},
    "refreshInBackground": {"type": ["boolean", "null"], "defaultDescription": "`false`",
                "description": "A snapshot that is due answers at once, and is refreshed afterwards."}
  },
  "additionalProperties": {}
})json";

/// JSON Schema of the members of a [[resource]] table that are the host's alone: neither on the
/// wire nor passed to plugins. A type's own member of that name hides it.
inline constexpr const char* kFileMembers = R"json({
  "type": "object",
  "properties": {
    "projects": {"type": "array", "minItems": 1, "items": {
                   "type": "string", "maxLength": 64, "pattern": "^([*]|[A-Za-z0-9][A-Za-z0-9._-]*)$",
                   "patternErrorMessage": "must be the name of a project, or \"*\" for all"},
                 "defaultDescription": "none",
                 "description": "Projects that may read the resource (`quarry projects`), `\"*\"` for all: with the owner's credentials, and without seeing where it comes from."}
  }
})json";

}  // namespace quarry
