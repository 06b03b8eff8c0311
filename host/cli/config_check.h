#pragma once

#include "base/error.h"
#include "base/json.h"
#include "cli/verb.h"
#include "config/inspect.h"
#include "plugins/registry.h"

#include <optional>
#include <vector>

namespace quarry::cli {

/// Every mistake of a configuration.
struct CheckReport {
  std::vector<config::Mistake> mistakes;   ///< in order of files and lines; others last
  std::vector<config::UnreadFile> unread;  ///< files without any effect
  std::vector<Error> refusals;             ///< of plugins that were given their tables
  std::vector<Error> problems;             ///< plugins, or schemas of them, that cannot be used
  [[nodiscard]] bool passed() const;
};

/// Adds the mistakes in the tables of components, by the schemas of their manifests. A component
/// that no plugin offers is a mistake if every file was read: another file may name the plugin's
/// directory.
CheckReport check(config::Inspection read, const plugins::Found& found);

/// Adds the refusals that are at none of the places with a mistake, since their cause is known.
void add_refusals(CheckReport& report, std::vector<Error> refusals);

/// The mistakes of every file, of which those in the tables of components are found by the schemas
/// of their manifests. Runs no code of plugins.
CheckReport check_files(const CommonOptions& common);

/// Everything for which a start with these options, or a question about one of the configured
/// resources, would be refused: the mistakes of every file, and what the plugins say of the tables
/// that are given to them. Runs code of plugins that the probe has loaded before.
CheckReport check_everything(const CommonOptions& common, config::Inspection read);

/// The mistakes and refusals as one error, in this order; nothing if there are none.
std::optional<Error> as_error(const CheckReport& report);

/// An error of the start, with every other mistake in the configuration if it is one of these.
Error with_other_mistakes(Error error, const CommonOptions& common);

/// {"mistakes": [{"file", "line", "column", "key", "message", "hint"}, …]}; a mistake from outside
/// a file has no line, one of a whole file no key.
Json to_json(const CheckReport& report);

}  // namespace quarry::cli
