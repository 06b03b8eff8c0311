#pragma once

#include "base/error.h"
#include "base/json.h"
#include "plugins/resource_type.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::resources {

/// A resource whose version is fixed.
struct LockedResource {
  std::string name;
  Json source;                       ///< what decides which files it has; no secrets
  plugins::ResourceVersion version;  ///< immutable
};

/// The name of a lock file, which stands beside quarry.toml.
inline constexpr std::string_view kLockFileName = "quarry.lock";

/// Reads a lock file. kNotFound when there is none; a damaged one is a ConfigError at
/// file:line:column.
Result<std::vector<LockedResource>> read_lock_file(const std::filesystem::path& file);

/// The bytes of a lock file: the same resources, in any order, are the same bytes.
std::string lock_file_text(std::vector<LockedResource> resources);

/// The members in which two sources differ, for a person: "branch \"main\" is now \"next\"".
std::string difference(const Json& locked, const Json& now);

}  // namespace quarry::resources
