#pragma once

namespace quarry::config {

/// JSON Schema of quarry.toml; whole_schema() adds the members of every resource. Tables of a
/// component allow any member here; the component's own schema restricts them.
///
/// "untrusted" is the rule for an untrusted project file (trust_rules.h). A key without the rule
/// may only be set by trusted files.
///   "plain"    any value without a table in it
///   "new"      a name that no resource of a lower file has, ignoring case
///   "https"    an https URL
///   "beneath"  the absolute path of a folder beneath the file's own directory
///   "lower"    an amount not above the one that applies without the file: that of a lower file,
///              else "default", else any
inline constexpr const char* kConfigSchema = R"json({
  "type": "object",
  "properties": {
    "model": {
      "type": "object",
      "properties": {
        "provider": {"type": "string", "minLength": 1},
        "name": {"type": "string"},
        "fallback": {"type": "array", "items": {"type": "string", "pattern": "^[^/]+(/.+)?$",
                     "description": "must be \"<provider>\" or \"<provider>/<model>\""}},
        "max_steps": {"type": "integer", "minimum": 1, "maximum": 1000,
                      "untrusted": "lower", "default": 40},
        "max_seconds": {"type": "integer", "minimum": 1, "maximum": 86400,
                        "untrusted": "lower", "default": 600},
        "max_tokens": {"type": "integer", "minimum": 1, "untrusted": "lower"},
        "max_cost_usd": {"type": ["number", "string"], "minimum": 0, "untrusted": "lower"},
        "monthly_budget_usd": {"type": ["number", "string"], "minimum": 0, "untrusted": "lower"},
        "unpriced": {"enum": ["refuse", "allow"]},
        "idle_seconds": {"type": "integer", "minimum": 1, "maximum": 86400,
                         "untrusted": "lower", "default": 120}
      },
      "additionalProperties": {}
    },
    "resource": {"type": "array", "items": {"properties": {
      "type": {"untrusted": "plain"},
      "name": {"untrusted": "new"},
      "refresh": {"untrusted": "plain"},
      "refreshInBackground": {"untrusted": "plain"},
      "specialNotes": {"untrusted": "plain"},
      "url": {"untrusted": "https"},
      "branch": {"untrusted": "plain"},
      "searchPath": {"untrusted": "plain"},
      "searchPaths": {"untrusted": "plain"},
      "path": {"untrusted": "beneath"},
      "package": {"untrusted": "plain"},
      "version": {"untrusted": "plain"}
    }}},
    "resource_type": {"type": "object", "additionalProperties": {
      "type": "object", "additionalProperties": {}}},
    "transport": {"type": "object", "additionalProperties": {
      "type": "object", "properties": {"enabled": {"type": "boolean"}},
      "additionalProperties": {}}},
    "pricing": {"type": "object",
      "properties": {
        "order": {"type": "array", "items": {"type": "string", "minLength": 1}},
        "refresh": {"type": "boolean"}
      },
      "additionalProperties": {
        "type": "object", "properties": {"enabled": {"type": "boolean"}},
        "additionalProperties": {}}},
    "cache": {
      "type": "object",
      "properties": {
        "directory": {"type": "string", "minLength": 1},
        "max_size": {"type": ["string", "integer"], "minimum": 1048576,
          "pattern": "^[1-9][0-9]*( ?[KMGT]iB)?$",
          "description": "must be bytes or a size such as \"10GiB\""}
      }
    },
    "server": {
      "type": "object",
      "properties": {
        "max_questions": {"type": "integer", "minimum": 1, "maximum": 100000,
                          "untrusted": "lower", "default": 256},
        "max_event_bytes": {"type": "integer", "minimum": 65536,
                            "untrusted": "lower", "default": 67108864},
        "reader_grace_ms": {"type": "integer", "minimum": 0},
        "shutdown_grace_ms": {"type": "integer", "minimum": 0},
        "keep_finished_seconds": {"type": "integer", "minimum": 0}
      }
    },
    "store": {
      "type": "object",
      "properties": {"provider": {"type": "string", "minLength": 1}},
      "additionalProperties": {}
    },
    "access": {
      "type": "object",
      "properties": {
        "requests_per_minute": {"type": "integer", "minimum": 1, "maximum": 1000000},
        "streams": {"type": "integer", "minimum": 1, "maximum": 100000},
        "usd_per_day": {"type": ["number", "string"], "minimum": 0},
        "max_resources": {"type": "integer", "minimum": 1, "maximum": 100000},
        "audit_file": {"type": "string", "minLength": 1},
        "audit_days": {"type": "integer", "minimum": 1, "maximum": 36500},
        "audit_questions": {"type": "boolean"},
        "secrets_key": {"type": "object",
          "description": "must be a reference: { env = \"NAME\" }, { file = \"/path\" } or { command = [\"program\"] }",
          "additionalProperties": {}}
      }
    },
    "plugin_path": {"type": "array", "items": {"type": "string", "minLength": 1}},
    "plugins": {
      "type": "object",
      "properties": {
        "pinned": {"type": "object", "additionalProperties": {"type": "string",
          "pattern": "^[0-9a-f]{64}$", "description": "must be a SHA-256 in 64 lower-case digits"}},
        "disabled": {"type": "array", "items": {"type": "string", "minLength": 1}}
      }
    },
    "local_roots": {"type": "array", "items": {"type": "string", "minLength": 1}},
    "network": {
      "type": "object",
      "properties": {
        "private_hosts": {"type": "array", "items": {"type": "string", "minLength": 1}}
      }
    },
    "log": {
      "type": "object",
      "properties": {"level": {"enum": ["debug", "info", "warning", "error"]}}
    }
  }
})json";

}  // namespace quarry::config
