#include "authoring/plugin_project.h"
#include "authoring/verbs.h"
#include "base/working_directory.h"
#include "cli/connection.h"

namespace quarry::authoring {
namespace {

namespace fs = std::filesystem;

/// Where the SDK is installed together with this program: include, lib/cmake, share.
fs::path own_prefix() {
  return cli::program_path().parent_path().parent_path();
}

Error of_folder(Error error) {
  if (error.hint.empty()) error.hint = "Name another folder.";
  return std::move(error).in("--folder");
}

/// Absolute and without a final separator.
Result<fs::path> folder_of(const cli::PluginNewOptions& options) {
  auto folder = absolute_path(options.folder.value_or(fs::path(".") / options.name));
  if (!folder) return std::move(folder).error();
  return folder->has_filename() ? *folder : folder->parent_path();
}

void print_next(cli::Terminal& terminal, const fs::path& folder) {
  terminal.note("Next: " + (folder / "README.md").string() +
                " has the commands to build, test and use it.");
  std::error_code ignored;
  const fs::path prefix = own_prefix();
  const bool installed = fs::exists(prefix / "lib/cmake/QuarrySdk", ignored);
  terminal.note(installed ? "CMake finds the SDK with -DCMAKE_PREFIX_PATH=" + prefix.string() + "."
                          : "It needs the SDK, which a build of Quarry installs: cmake --install "
                            "<build directory> --prefix <prefix> --component sdk");
}

}  // namespace

Result<cli::ExitCode> write_project(const cli::PluginNewOptions& options, cli::Context& context) {
  const auto folder = folder_of(options);
  if (!folder) return folder.error();
  const PluginProject project{options.kind, options.language, options.name,
                              options.id.value_or("org.example." + options.name), *folder};
  const auto files = plugin_files(project, own_prefix() / "share/quarry/templates");
  if (!files) return files.error();
  if (Status written = write_new_folder(*folder, *files); !written) {
    return of_folder(std::move(written).error());
  }
  for (const auto& [name, text] : *files) context.terminal.out_line((*folder / name).string());
  print_next(context.terminal, *folder);
  return cli::ExitCode::kOk;
}

}  // namespace quarry::authoring
