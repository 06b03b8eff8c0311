#include "base/working_directory.h"
#include "cli/plugin_indexes.h"
#include "cli/verbs.h"
#include "plugins/index_maker.h"
#include "services/paths.h"
#include "services/process.h"

#include <cstdlib>
#include <memory>

namespace quarry::cli {
namespace {

struct PluginIndexOptions {
  std::string folder;
  std::string base_url;
};

Result<ExitCode> run_plugins_index(const PluginIndexOptions& options, Context& context) {
  auto roots = services::Paths::roots([](const char* name) { return std::getenv(name); });
  if (!roots) return std::move(roots.error()).tagged("ConfigError");
  services::Paths paths(std::move(*roots));
  const SystemClock clock;
  const auto programs = services::ProcessRunner::of_environment();
  auto folder = absolute_path(options.folder);
  if (!folder) return std::move(folder).error();
  const plugins::IndexMaker maker{.folder = std::move(*folder),
                                  .base_url = options.base_url,
                                  .paths = paths,
                                  .programs = programs,
                                  .clock = clock};
  const auto index = maker.make(interruptible_call(context));
  if (!index) return index.error();
  if (context.terminal.out(*index)) return ExitCode::kOk;
  return Error(Code::kUnavailable, "the index could not be written to standard output");
}

}  // namespace

Verb plugins_index_verb(CommonOptions&) {
  const auto options = std::make_shared<PluginIndexOptions>();
  return {"plugins index",
          "Print the index of a folder of archives of plugins, to be served over HTTPS",
          {{"folder",
            "",
            "The folder of the archives (.tar.zst, .tar.gz)",
            &options->folder,
            {.required = true}},
           {"--base-url", "URL", "URL of the folder; without it, the archives lie beside the index",
            &options->base_url}},
          [options](Context& context) { return run_plugins_index(*options, context); }};
}

}  // namespace quarry::cli
