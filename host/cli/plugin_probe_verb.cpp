#include "base/working_directory.h"
#include "cli/verbs.h"
#include "plugins/probe.h"
#include "runner/runner.h"
#include "runner/sandbox.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace quarry::cli {
namespace {

struct ProbeOptions {
  std::vector<std::string> files;
  bool sandbox = false;
  bool use = false;
};

Result<ExitCode> run_plugins_probe(const ProbeOptions& options) {
  std::vector<std::filesystem::path> folders;
  for (const std::string& file : options.sandbox ? options.files : std::vector<std::string>()) {
    const auto path = absolute_path(file);
    if (!path) return path.error();
    folders.push_back(path->parent_path());
  }
  const auto enter = [&] {
    runner::enter_sandbox(
        {.readable = folders, .writable = {}, .memory = runner::RunnerOptions().memory});
  };
  const auto probed = options.use ? plugins::Probed::kUse : plugins::Probed::kOpen;
  const int status =
      plugins::run_probe({options.files.begin(), options.files.end()}, probed, QUARRY_VERSION,
                         options.sandbox ? std::function<void()>(enter) : nullptr);
  return status == 0 ? ExitCode::kOk : ExitCode::kFailure;
}

}  // namespace

Verb plugins_probe_verb(CommonOptions&) {
  const auto options = std::make_shared<ProbeOptions>();
  return {"plugins probe",
          "Load and open plugins in this process, and report",
          {{"manifest", "", "Their manifests", &options->files, {.required = true}},
           {"--sandbox", "", "Enter the sandbox of isolated plugins first", &options->sandbox},
           {plugins::kProbeUse, "", "Call all functions of a start, with tables of standard input",
            &options->use}},
          [options](Context&) { return run_plugins_probe(*options); }};
}

}  // namespace quarry::cli
