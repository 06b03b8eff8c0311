#pragma once

#include "base/error.h"
#include "plugins/manifest.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::plugins {

/// Option of a probe command that calls all functions that a start calls.
inline constexpr const char* kProbeUse = "--use";
/// Functions that a probe calls once the plugin is loaded.
enum class Probed { kOpen, kUse };

/// Loads the plugin in a child process first, because a static initialiser may exit, hang, throw or
/// crash. The child runs `command` with the manifest's path appended, which must call run_probe().
/// `tables`: see table_name(). The error describes how the child failed. [control]
Status probe(const Manifest& manifest, const std::vector<std::string>& command,
             std::chrono::milliseconds limit, std::string_view tables = {});

/// Name of a component's table in the JSON object `tables`, which the child reads from its standard
/// input: its components are created from these tables, others from {}.
std::string table_name(std::string_view kind, std::string_view name);

/// The tables of the components that `table` knows (RegistryOptions), as an object for probe().
std::string tables_of(
    const Manifest& manifest,
    const std::function<std::string(std::string_view kind, std::string_view name)>& table);

/// True if one child could load them all, one after the other. [control]
bool probe_together(const std::vector<const Manifest*>& manifests,
                    const std::vector<std::string>& command, std::chrono::milliseconds limit);

/// Runs in the child: loads the plugins until one fails, writes the result to standard output and
/// returns the exit status. `open` and, for kUse, `create`, `describe` and `destroy` of each
/// component are called by a host without services, and must return. `before_code` is called when
/// all files are read and checked, before any of their code runs; it may be empty. The process must
/// end afterwards, by _exit if abandoned_calls() is not 0.
int run_probe(const std::vector<std::filesystem::path>& manifest_paths, Probed probed,
              std::string_view host_version, const std::function<void()>& before_code = {});

}  // namespace quarry::plugins
