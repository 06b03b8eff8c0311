#pragma once

#include "base/error.h"
#include "plugins/manifest.h"

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::plugins {

/// Loads the plugin in a child process first, because a static initialiser may exit, hang, throw or
/// crash. The child runs `command` with the manifest's path appended, which must call run_probe().
/// The error describes how the child failed. [control]
Status probe(const Manifest& manifest, const std::vector<std::string>& command,
             std::chrono::milliseconds limit);

/// True if one child could load them all, one after the other. [control]
bool probe_together(const std::vector<const Manifest*>& manifests,
                    const std::vector<std::string>& command, std::chrono::milliseconds limit);

/// Runs in the child: loads the plugins until one fails, writes the result to standard output and
/// returns the exit status. With a `host_version`, `open` is called too, by a host without
/// services, and must return. The process must end afterwards, by _exit if abandoned_calls() is not
/// 0.
int run_probe(const std::vector<std::filesystem::path>& manifest_paths,
              std::string_view host_version = {});

}  // namespace quarry::plugins
