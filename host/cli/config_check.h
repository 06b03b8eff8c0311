#pragma once

#include "base/error.h"
#include "base/json.h"
#include "config/inspect.h"
#include "plugins/registry.h"

#include <vector>

namespace quarry::cli {

/// Every mistake of a configuration.
struct CheckReport {
  std::vector<config::Mistake> mistakes;   ///< in order of files and lines; others last
  std::vector<config::UnreadFile> unread;  ///< files without any effect
  std::vector<Error> problems;             ///< plugins, or schemas of them, that cannot be used
  [[nodiscard]] bool passed() const;
};

/// Adds the mistakes in the tables of components, by the schemas of their manifests. A component
/// that no plugin offers is a mistake if every file was read: another file may name the plugin's
/// directory.
CheckReport check(config::Inspection read, const plugins::Found& found);

/// {"mistakes": [{"file", "line", "column", "key", "message", "hint"}, …]}; a mistake from outside
/// a file has no line, one of a whole file no key.
Json to_json(const CheckReport& report);

}  // namespace quarry::cli
