// quarry-validate <plugin.toml>: checks a plugin for its author before a host loads it.

#include "base/printable.h"
#include "plugins/elf_file.h"
#include "plugins/module.h"
#include "plugins/probe.h"

#include <cstdio>
#include <string_view>

namespace {

using quarry::plugins::Manifest;

constexpr std::chrono::seconds kProbeLimit{20};

bool report(const char* check, const quarry::Status& outcome) {
  if (outcome) {
    std::printf("pass  %s\n", check);
    return true;
  }
  std::printf("FAIL  %s: %s\n      %s\n", check,
              quarry::printable_indented(outcome.error().message, 6).c_str(),
              quarry::printable_indented(outcome.error().hint, 6).c_str());
  return false;
}

quarry::Status as_status(const auto& result) {
  return result ? quarry::Status() : quarry::Status(result.error());
}

bool validate(const std::filesystem::path& path) {
  const auto manifest = quarry::plugins::read_manifest(path);
  if (!report("the manifest is complete", as_status(manifest))) return false;
  if (!report("this host can run it",
              check_compatible(manifest->id, manifest->built_for, manifest->minimum))) {
    return false;
  }
  if (!report("the file is the manifest's, whole, and exports its entry alone",
              as_status(copy_module(*manifest)))) {
    return false;
  }
  const auto self = std::filesystem::read_symlink("/proc/self/exe").string();
  return report("it loads, and its entry agrees with the manifest",
                probe(*manifest, {self, "--probe"}, kProbeLimit));
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 3 && arguments[1] == std::string_view("--probe")) {
    return quarry::plugins::run_probe(arguments[2]);
  }
  if (count != 2) {
    std::fprintf(stderr, "usage: quarry-validate <plugin.toml>\n");
    return 2;
  }
  return validate(arguments[1]) ? 0 : 1;
}
