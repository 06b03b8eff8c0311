#include "cli/component_schemas.h"
#include "cli/connection.h"
#include "cli/plugin_origin.h"
#include "cli/verbs.h"
#include "runner/strikes.h"
#include "services/paths.h"

#include <algorithm>
#include <memory>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

Result<ExitCode> run_plugins_release(const std::string& id, Context& context) {
  const auto found = find_plugins(context.common);
  if (!found) return found.error();
  const auto manifest = std::ranges::find(found->manifests, id, &plugins::Manifest::id);
  if (manifest == found->manifests.end()) return unknown_plugin(id, *found);
  const auto roots = services::Paths::roots();
  if (!roots) return roots.error();
  const auto released = runner::release(roots->state / runner::kQuarantinedList, manifest->sha256);
  if (!released) return released.error();
  if (context.common.json) {
    context.terminal.out_json(to_text({{"id", id}, {"released", *released}}));
  } else {
    context.terminal.out_line(*released ? "released " + id : id + " is not quarantined");
  }
  return ExitCode::kOk;
}

}  // namespace

Verb plugins_release_verb(CommonOptions& common) {
  const auto id = std::make_shared<std::string>();
  return {"plugins release", "Permit a plugin again that crashed too often",
          with_json(common, {{"id", "", "Its id", id.get(), {.required = true}}}),
          [id](Context& context) { return run_plugins_release(*id, context); },
          "A running server starts it when it is used next; one that was started without it needs\n"
          "\"quarry plugins reload\"."};
}

}  // namespace quarry::cli
