#pragma once

#include "config/keys.h"

#include <filesystem>
#include <optional>
#include <string>

namespace quarry::config {

/// `path` with the home directory in place of "~" at its beginning.
std::filesystem::path expand_home(const std::string& path);

/// Sets a member to a value that fits the key's schema. Returns the mistake, if there is one: a
/// schema does not say which texts are amounts.
std::optional<std::string> assign(const Json& value, const Member& member);

/// The member's value as it stands in a file; null or empty if it is not set.
Json to_json(const Member& member);

}  // namespace quarry::config
