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
  Json source;                       ///< members that determine its files; no secrets
  plugins::ResourceVersion version;  ///< immutable
};

/// Name of the lock file beside quarry.toml.
inline constexpr std::string_view kLockFileName = "quarry.lock";

/// Reads a lock file. kNotFound if there is none; ConfigError at file:line:column if it is damaged.
Result<std::vector<LockedResource>> read_lock_file(const std::filesystem::path& file);

/// Bytes of a lock file, independent of the order of `resources`.
std::string lock_file_text(std::vector<LockedResource> resources);

/// Readable list of the members in which two sources differ: "branch \"main\" is now \"next\"".
std::string difference(const Json& locked, const Json& now);

}  // namespace quarry::resources
