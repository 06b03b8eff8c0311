#include "base/working_directory.h"
#include "cli/connection.h"
#include "cli/plugin_project.h"
#include "cli/verbs.h"

#include <memory>

namespace quarry::cli {
namespace {

namespace fs = std::filesystem;

struct PluginNewOptions {
  std::string kind;
  std::string name;
  std::string language = "c++";
  std::optional<std::string> id;
  std::optional<fs::path> folder;
};

/// Where the SDK is installed together with this program: include, lib/cmake, share.
fs::path own_prefix() {
  return program_path().parent_path().parent_path();
}

Error of_folder(Error error) {
  if (error.hint.empty()) error.hint = "Name another folder.";
  return std::move(error).in("--folder");
}

/// Absolute and without a final separator.
Result<fs::path> folder_of(const PluginNewOptions& options) {
  auto folder = absolute_path(options.folder.value_or(fs::path(".") / options.name));
  if (!folder) return std::move(folder).error();
  return folder->has_filename() ? *folder : folder->parent_path();
}

void print_next(Terminal& terminal, const fs::path& folder) {
  terminal.note("Next: " + (folder / "README.md").string() +
                " has the commands to build, test and use it.");
  std::error_code ignored;
  const fs::path prefix = own_prefix();
  const bool installed = fs::exists(prefix / "lib/cmake/QuarrySdk", ignored);
  terminal.note(installed ? "CMake finds the SDK with -DCMAKE_PREFIX_PATH=" + prefix.string() + "."
                          : "It needs the SDK, which a build of Quarry installs: cmake --install "
                            "<build directory> --prefix <prefix> --component sdk");
}

Result<ExitCode> run_plugins_new(const PluginNewOptions& options, Context& context) {
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
  return ExitCode::kOk;
}

}  // namespace

Verb plugins_new_verb(CommonOptions&) {
  const auto options = std::make_shared<PluginNewOptions>();
  return {"plugins new",
          "Write a new plugin that builds, with its tests",
          {{"kind", "", "Such as resource or model", &options->kind, {.required = true}},
           {"name", "", "Of its component, such as my-wiki", &options->name, {.required = true}},
           {"--language", "", "Of its source, such as c or rust; default: c++", &options->language},
           {"--id", "", "Of the plugin; default: org.example.NAME", &options->id},
           {"--folder", "", "The new folder; default: NAME", &options->folder}},
          [options](Context& context) { return run_plugins_new(*options, context); }};
}

}  // namespace quarry::cli
