#include "authoring/index_maker.h"
#include "authoring/verbs.h"
#include "base/working_directory.h"
#include "cli/plugin_indexes.h"
#include "services/paths.h"
#include "services/process.h"

namespace quarry::authoring {
Result<cli::ExitCode> print_index(const cli::PluginIndexOptions& options, cli::Context& context) {
  auto roots = services::Paths::roots();
  if (!roots) return std::move(roots.error()).tagged("ConfigError");
  services::Paths paths(std::move(*roots));
  const SystemClock clock;
  const auto programs = services::ProcessRunner::of_environment();
  auto folder = absolute_path(options.folder);
  if (!folder) return std::move(folder).error();
  const IndexMaker maker{.folder = std::move(*folder),
                         .base_url = options.base_url,
                         .paths = paths,
                         .programs = programs,
                         .clock = clock};
  const auto index = maker.make(cli::interruptible_call(context));
  if (!index) return index.error();
  if (context.terminal.out(*index)) return cli::ExitCode::kOk;
  return Error(Code::kUnavailable, "the index could not be written to standard output");
}

}  // namespace quarry::authoring
