#include "base/printable.h"
#include "cli/component_schemas.h"
#include "cli/connection.h"
#include "cli/plugin_origin.h"
#include "cli/verbs.h"
#include "plugins/installed_plugins.h"
#include "services/paths.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

/// The cause why a plugin that is not installed cannot be removed.
Error not_installed(const std::string& id, const CommonOptions& common) {
  const auto found = find_plugins(common);
  if (!found) return found.error();
  const auto manifest = std::ranges::find(found->manifests, id, &plugins::Manifest::id);
  if (manifest == found->manifests.end()) return unknown_plugin(id, *found);
  const auto folder = manifest->path.parent_path().string();
  if (origin_of(*manifest).from == PluginOrigin::From::kProgram) {
    return {Code::kInvalidArgument, "plugin " + id + " came with this program, in " + folder,
            "to leave it out, write disabled = [\"" + id + "\"] in [plugins] of the configuration"};
  }
  return {Code::kInvalidArgument,
          "plugin " + id + " lies in " + folder + ", which plugin_path names",
          "remove that folder, or take its directory out of plugin_path"};
}

Result<ExitCode> run_plugins_remove(const std::string& id, Context& context) {
  const auto directory = installed_plugin_directory();
  std::error_code ignored;
  if (directory.empty() || !std::filesystem::exists(directory, ignored)) {
    return not_installed(id, context.common);
  }
  const auto removed = plugins::InstalledPlugins(directory).remove(id);
  if (!removed && removed.error().code == Code::kNotFound) {
    return not_installed(id, context.common);
  }
  if (!removed) return removed.error();
  if (context.common.json) {
    context.terminal.out_json(to_text({{"id", id}, {"version", removed->version}}));
  } else {
    context.terminal.out_line("removed " + id + " " + printable_exact(removed->version));
  }
  return ExitCode::kOk;
}

}  // namespace

Verb plugins_remove_verb(CommonOptions& common) {
  const auto id = std::make_shared<std::string>();
  return {"plugins remove", "Remove a plugin that \"plugins add\" installed; its data stays",
          with_json(common, {{"id", "", "Its id", id.get(), {.required = true}}}),
          [id](Context& context) { return run_plugins_remove(*id, context); }};
}

}  // namespace quarry::cli
