#pragma once

#include "base/json.h"
#include "cli/terminal.h"
#include "plugins/manifest.h"
#include "runner/sandbox.h"

#include <string>
#include <utility>
#include <vector>

namespace quarry::cli {

/// What follows a component that this host leaves out.
inline constexpr const char* kUnknownKind = " (a kind that this host does not know)";

/// Lines about one plugin: label and text. An empty label continues the line above.
using PluginRows = std::vector<std::pair<std::string, std::string>>;

/// Prints id and version, the summary, and the rows in two columns; each text is shown exactly.
void print_plugin(Terminal& terminal, const plugins::Manifest& manifest, const PluginRows& rows);

/// A row for each component, with its schema files.
void add_components(PluginRows& rows, const plugins::Manifest& manifest);
/// Sentences about the permissions, the first labelled.
void add_permissions(PluginRows& rows, const plugins::Permissions& permissions);

/// A sentence for each kind of access that the services give; at least one.
std::vector<std::string> permission_words(const plugins::Permissions& permissions);

/// The parts of the sandbox in words, those that are missing included.
std::vector<std::string> sandbox_words(const runner::Sandbox& sandbox);

/// [{"kind", "name", "schema"?, "configuration"?}]
Json components_json(const plugins::Manifest& manifest);

}  // namespace quarry::cli
