#pragma once

#include "base/error.h"
#include "plugins/manifest.h"

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace quarry::plugins {

/// Loads the plugin in a child process first, since a static initialiser may exit, hang, throw or
/// crash. The child runs `command` with the manifest's path appended, which must end in
/// run_probe(). Fails with what happened to the child. [control]
Status probe(const Manifest& manifest, const std::vector<std::string>& command,
             std::chrono::milliseconds limit);

/// The child's part: loads the plugin, answers on standard output, and returns the exit status.
/// Never call it in a process that goes on.
int run_probe(const std::filesystem::path& manifest_path);

}  // namespace quarry::plugins
