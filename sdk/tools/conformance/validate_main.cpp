// quarry-validate [options] <plugin.toml | directory>: checks a plugin for its author before a host
// loads it. "quarry plugins validate" is this program, with --load-by WORD… as the command that
// loads a plugin as that host does.

#include "conformance/command.h"
#include "plugins/probe.h"

#include <chrono>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr std::chrono::seconds kProbeLimit{20};

constexpr const char* kUsage =
    "usage: quarry-validate [--check NAME]… [--json] [--junit FILE] [--seed N] [--limit MS]\n"
    "                       [--memory MIB] [--resource JSON] [--configuration FILE]\n"
    "                       <plugin.toml | directory>\n";

struct Arguments {
  quarry::conformance::Command command;
  std::vector<std::string> load_by = {};
  bool json = false;
  bool sound = true;
};

/// Where the value of an option goes; null if there is no such option.
std::string* place_of(std::string_view option, Arguments& arguments) {
  quarry::conformance::Command& command = arguments.command;
  if (option == "--load-by") return &arguments.load_by.emplace_back();
  if (option == "--check") return &command.checks.emplace_back();
  if (option == "--junit") return &command.junit;
  if (option == "--seed") return &command.seed;
  if (option == "--limit") return &command.limit;
  if (option == "--memory") return &command.memory;
  if (option == "--resource") return &command.resource;
  if (option == "--configuration") return &command.configuration;
  return nullptr;
}

Arguments read(std::span<char*> words) {
  Arguments out;
  bool are_options = true;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (are_options && word == "--json") {
      out.json = true;
    } else if (are_options && word == "--") {
      are_options = false;
    } else if (are_options && word.starts_with("--")) {
      std::string* const place = place_of(word, out);
      if (place == nullptr || i + 1 == words.size()) return {.command = {}, .sound = false};
      *place = words[++i];
    } else if (out.command.plugin.empty()) {
      out.command.plugin = word;
    } else {
      out.sound = false;
    }
  }
  out.sound = out.sound && !out.command.plugin.empty();
  return out;
}

quarry::Status load(const quarry::plugins::Manifest& manifest,
                    const std::vector<std::string>& command) {
  if (!command.empty()) return probe(manifest, command, kProbeLimit, "{}");
  const auto self = std::filesystem::read_symlink("/proc/self/exe").string();
  return probe(manifest, {self, "--probe"}, kProbeLimit);
}

int validate(const Arguments& arguments) {
  const auto report = run(arguments.command, [&](const quarry::plugins::Manifest& manifest) {
    return load(manifest, arguments.load_by);
  });
  if (!report) {
    std::fprintf(stderr, "error: %s\nhint: %s\n", report.error().message.c_str(),
                 report.error().hint.c_str());
    return 2;
  }
  const std::string text = arguments.json ? report->json() + "\n" : report->text();
  if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0) {
    std::perror("error: standard output could not be written");
    return 1;
  }
  return report->passed() ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  const std::span<char*> words(arguments, static_cast<std::size_t>(count));
  if (count >= 3 && words[1] == std::string_view("--probe")) {
    const bool uses = words[2] == std::string_view(quarry::plugins::kProbeUse);
    using quarry::plugins::Probed;
    return quarry::plugins::run_probe({words.begin() + (uses ? 3 : 2), words.end()},
                                      uses ? Probed::kUse : Probed::kOpen, "1.0");
  }
  const auto read_words = read(words.subspan(1));
  if (!read_words.sound) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  return validate(read_words);
}
