#pragma once

#include "base/error.h"
#include "cli/author_verbs.h"

namespace quarry::authoring {

// The verbs that this program runs for the host; each prints its output.

/// "plugins new": writes a plugin from a template of the SDK.
Result<cli::ExitCode> write_project(const cli::PluginNewOptions& options, cli::Context& context);
/// "plugins run": calls one function of a plugin that is not installed.
Result<cli::ExitCode> run_function(const cli::PluginRunOptions& options, cli::Context& context);
/// "plugins index": prints the index of a folder of archives.
Result<cli::ExitCode> print_index(const cli::PluginIndexOptions& options, cli::Context& context);

}  // namespace quarry::authoring
