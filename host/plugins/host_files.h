#pragma once

#include "base/json.h"
#include "plugins/manifest.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::plugins {

/// The value of an environment variable; null if it is not set.
using Environment = std::function<const char*(const char* name)>;

/// True for a file in `hosts` of a manifest, without "file:": "~/" and a relative path without
/// "..", in the home directory, or "$NAME": the file that this variable names. [any thread]
[[nodiscard]] bool is_host_file(std::string_view text);

/// Hosts of the http and https URLs in the files of `permissions`, of which at most 1 MiB each is
/// read; a file that is missing or larger names none. Empty if `configuration` acts for projects,
/// since the files are the owner's. [any thread]
std::vector<std::string> hosts_in_files(const Permissions& permissions, const Json& configuration,
                                        const Environment& environment);

}  // namespace quarry::plugins
