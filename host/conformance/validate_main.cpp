// quarry-validate [--json] <plugin.toml | directory>: checks a plugin for its author before a host
// loads it.

#include "plugins/probe.h"
#include "plugins/validation.h"

#include <chrono>
#include <cstdio>
#include <span>
#include <string_view>

namespace {

constexpr std::chrono::seconds kProbeLimit{20};

quarry::Status load(const quarry::plugins::Manifest& manifest) {
  const auto self = std::filesystem::read_symlink("/proc/self/exe").string();
  return probe(manifest, {self, "--probe"}, kProbeLimit);
}

int validate(const char* path, bool json) {
  const auto validation = quarry::plugins::validate(path, load);
  std::fputs((json ? validation.json() + "\n" : validation.text()).c_str(), stdout);
  return validation.passed() ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  const std::span<char*> words(arguments, static_cast<std::size_t>(count));
  if (count == 3 && words[1] == std::string_view("--probe")) {
    return quarry::plugins::run_probe(words[2]);
  }
  const bool json = count == 3 && words[1] == std::string_view("--json");
  if (count != 2 && !json) {
    std::fprintf(stderr, "usage: quarry-validate [--json] <plugin.toml | directory>\n");
    return 2;
  }
  return validate(words.back(), json);
}
