#pragma once

#include "base/json.h"
#include "cli/config_keys.h"
#include "config/inspect.h"

#include <string>
#include <vector>

namespace quarry::cli {

/// Everything about one key: {"key", "table", "type", "default", "description", "environment",
/// "untrusted", "values": [{"value", "source", "line", "column", "of"}]}. "values" are the places
/// that set it: none, one, or those of several tables, whose names are "of". Secrets are
/// references, never values.
Json explanation(const ConfigKey& key, const config::Inspection& read);

/// The same as text for a terminal. Equal definitions of several components are one.
std::string explanation_text(const std::vector<ConfigKey>& keys, const config::Inspection& read);

/// A table of all keys with their types, defaults and sources.
std::string key_table(const std::vector<ConfigKey>& keys, const config::Inspection& read);

}  // namespace quarry::cli
