#include "base/file.h"
#include "base/hash.h"
#include "base/printable.h"
#include "base/text.h"
#include "cli/connection.h"
#include "cli/verbs.h"
#include "config/trust.h"
#include "config/trust_list.h"

#include <array>
#include <unistd.h>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

using config::Project;
using config::TrustedKey;
using config::TrustList;

std::filesystem::path named_file(const Arguments& arguments) {
  if (!arguments.file.empty() || !arguments.config_file) return arguments.file;
  return *arguments.config_file;
}

std::string place_of(const TrustedKey& key) {
  return std::to_string(key.place.line) + ":" + std::to_string(key.place.column);
}

void print(Terminal& terminal, const Project& project) {
  terminal.out(
      printable_exact(project.file.path.string()) + " sets " + std::to_string(project.keys.size()) +
      (project.keys.size() == 1 ? " value" : " values") + " that only a trusted file may:\n");
  for (const TrustedKey& key : project.keys) {
    terminal.out("  " + place_of(key) + "  " + key.name + " = " + key.value +
                 (key.why.empty() ? "" : "  # " + key.why) + "\n");
  }
}

Json as_json(const Project& project, bool trusted) {
  Json keys = Json::array();
  for (const TrustedKey& key : project.keys) {
    keys.push_back({{"key", key.name},
                    {"line", key.place.line},
                    {"column", key.place.column},
                    {"value", key.value}});
  }
  return {{"file", project.file.path.string()},
          {"sha256", sha256_hex(project.file.bytes)},
          {"trusted", trusted},
          {"keys", std::move(keys)}};
}

/// Answer of the user at the terminal; kCancelled on an interrupt.
Result<bool> ask_yes(Context& context) {
  context.terminal.note("Trust it as it is now? Type \"yes\":");
  if (context.signals.wait_for_input(STDIN_FILENO)) return Error{Code::kCancelled, "interrupted"};
  std::array<char, 256> line{};
  const ssize_t got = ::read(STDIN_FILENO, line.data(), line.size());
  const std::string_view answer(line.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  return answer == "yes\n" || answer == "y\n";
}

bool can_ask(const Context& context) {
  return !context.arguments.json && context.terminal.interactive() && ::isatty(STDIN_FILENO) == 1;
}

Error still_not_trusted(const Project& project) {
  const std::string file = project.file.path.string();
  return Error{Code::kInvalidArgument, printable_exact(file) + " is not trusted",
               "Trust it as it is now: quarry trust --yes " + printable_exact(shell_word(file))}
      .tagged("ConfigError");
}

/// Shows the file and trusts it if the user agrees; returns true if it is trusted now.
Result<bool> trust_reviewed(Context& context, const Project& project) {
  const Arguments& arguments = context.arguments;
  if (!arguments.json) print(context.terminal, project);
  if (project.trusted) return true;
  if (!arguments.trust.yes) {
    const auto said = can_ask(context) ? ask_yes(context) : Result<bool>(false);
    if (!said || !*said) return said;
  }
  if (Status done = config::trust(config_sources(arguments), project); !done) {
    return std::move(done).error();
  }
  return true;
}

Result<ExitCode> run_review(Context& context) {
  const Arguments& arguments = context.arguments;
  const auto project = config::review(config_sources(arguments), named_file(arguments));
  if (!project) return project.error();
  const bool needs_none = project->keys.empty();
  const auto trusted = needs_none ? Result<bool>(true) : trust_reviewed(context, *project);
  if (!trusted) return trusted.error();
  const std::string file = printable_exact(project->file.path.string());
  if (arguments.json) {
    context.terminal.out(to_text(as_json(*project, *trusted)) + "\n");
  } else if (*trusted) {
    context.terminal.out(needs_none         ? file + " needs no trust\n"
                         : project->trusted ? file + " is trusted already\n"
                                            : "trusted " + file + "\n");
  }
  if (!*trusted) return still_not_trusted(*project);
  return ExitCode::kOk;
}

std::string state_of(const TrustList& list, const TrustList::Entry& entry) {
  const auto bytes = read_file(entry.file, config::kMaxFileBytes);
  if (!bytes) return bytes.error().code == Code::kNotFound ? "missing" : "unreadable";
  return list.trusts(entry.file, *bytes) ? "trusted" : "changed";
}

Result<ExitCode> run_list(Context& context) {
  const TrustList list(config_sources(context.arguments).trust_directory);
  Json files = Json::array();
  for (const TrustList::Entry& entry : list.entries()) {
    const std::string state = state_of(list, entry);
    const std::string file = entry.file.string();
    files.push_back({{"file", file}, {"sha256", entry.digests}, {"state", state}});
    if (!context.arguments.json) {
      context.terminal.out(printable_exact(file) + (state == "trusted" ? "" : "  " + state) + "\n");
    }
  }
  if (context.arguments.json) context.terminal.out(to_text({{"files", files}}) + "\n");
  if (files.empty() && !context.arguments.json) context.terminal.note("No file is trusted.");
  return ExitCode::kOk;
}

Result<ExitCode> run_revoke(Context& context) {
  const config::Sources sources = config_sources(context.arguments);
  const auto file = config::trusted_path(sources, named_file(context.arguments));
  if (!file) return file.error();
  const auto revoked = TrustList(sources.trust_directory).revoke(*file);
  if (!revoked) return revoked.error();
  const std::string shown = printable_exact(file->string());
  if (!*revoked) {
    return Error{Code::kNotFound, shown + " is not trusted",
                 "\"quarry trust --list\" shows the files that are."};
  }
  context.terminal.out(context.arguments.json
                           ? to_text({{"file", file->string()}, {"trusted", false}}) + "\n"
                           : "revoked the trust in " + shown + "\n");
  return ExitCode::kOk;
}

}  // namespace

Result<ExitCode> run_trust(Context& context) {
  if (context.arguments.trust.list) return run_list(context);
  if (context.arguments.trust.revoke) return run_revoke(context);
  return run_review(context);
}

}  // namespace quarry::cli
