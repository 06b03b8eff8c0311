#include "base/file.h"
#include "base/hash.h"
#include "base/printable.h"
#include "base/text.h"
#include "cli/confirm.h"
#include "cli/connection.h"
#include "cli/verbs.h"
#include "config/trust.h"
#include "config/trust_list.h"

#include <memory>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

using config::Project;
using config::TrustedKey;
using config::TrustList;

struct TrustOptions {
  std::string file;  ///< may be empty
  bool yes = false;
  bool list = false;
  bool revoke = false;
};

std::filesystem::path named_file(const TrustOptions& options, const CommonOptions& common) {
  if (!options.file.empty() || !common.config_file) return options.file;
  return *common.config_file;
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

Error still_not_trusted(const Project& project) {
  const std::string file = project.file.path.string();
  return Error{Code::kInvalidArgument, printable_exact(file) + " is not trusted",
               "Trust it as it is now: quarry trust --yes " + printable_exact(shell_word(file))}
      .tagged("ConfigError");
}

/// Shows the file and trusts it if the user agrees; returns true if it is trusted now.
Result<bool> trust_reviewed(const TrustOptions& options, Context& context, const Project& project) {
  if (!context.common.json) print(context.terminal, project);
  if (project.trusted) return true;
  if (!options.yes) {
    const auto said =
        can_ask(context) ? ask_yes(context, "Trust it as it is now?") : Result<bool>(false);
    if (!said || !*said) return said;
  }
  if (Status done = config::trust(config_sources(context.common), project); !done) {
    return std::move(done).error();
  }
  return true;
}

Result<ExitCode> run_review(const TrustOptions& options, Context& context) {
  const CommonOptions& common = context.common;
  const auto project = config::review(config_sources(common), named_file(options, common));
  if (!project) return project.error();
  const bool needs_none = project->keys.empty();
  const auto trusted = needs_none ? Result<bool>(true) : trust_reviewed(options, context, *project);
  if (!trusted) return trusted.error();
  const std::string file = printable_exact(project->file.path.string());
  if (common.json) {
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

Result<ExitCode> run_trust_list(Context& context) {
  const TrustList list(config_sources(context.common).trust_directory);
  Json files = Json::array();
  for (const TrustList::Entry& entry : list.entries()) {
    const std::string state = state_of(list, entry);
    const std::string file = entry.file.string();
    files.push_back({{"file", file}, {"sha256", entry.digests}, {"state", state}});
    if (!context.common.json) {
      context.terminal.out(printable_exact(file) + (state == "trusted" ? "" : "  " + state) + "\n");
    }
  }
  if (context.common.json) context.terminal.out(to_text({{"files", files}}) + "\n");
  if (files.empty() && !context.common.json) context.terminal.note("No file is trusted.");
  return ExitCode::kOk;
}

Result<ExitCode> run_revoke(const TrustOptions& options, Context& context) {
  const config::Sources sources = config_sources(context.common);
  const auto file = config::trusted_path(sources, named_file(options, context.common));
  if (!file) return file.error();
  const auto revoked = TrustList(sources.trust_directory).revoke(*file);
  if (!revoked) return revoked.error();
  const std::string shown = printable_exact(file->string());
  if (!*revoked) {
    return Error{Code::kNotFound, shown + " is not trusted",
                 "\"quarry trust --list\" shows the files that are."};
  }
  context.terminal.out(context.common.json
                           ? to_text({{"file", file->string()}, {"trusted", false}}) + "\n"
                           : "revoked the trust in " + shown + "\n");
  return ExitCode::kOk;
}

Result<ExitCode> run_trust(const TrustOptions& options, Context& context) {
  if (options.list) return run_trust_list(context);
  if (options.revoke) return run_revoke(options, context);
  return run_review(options, context);
}

}  // namespace

Verb trust_verb(CommonOptions& common) {
  const auto options = std::make_shared<TrustOptions>();
  return {
      "trust", "Show what a project's configuration would do, and trust it",
      with_json(common,
                {{"file", "", "The file; default: that of the project here", &options->file},
                 {"-y,--yes", "", "Trust it without asking", &options->yes},
                 {"--list", "", "List the trusted files", &options->list, {.excludes = {"--yes"}}},
                 {"--revoke",
                  "",
                  "Revoke the trust",
                  &options->revoke,
                  {.excludes = {"--yes", "--list"}}}}),
      [options](Context& context) { return run_trust(*options, context); }};
}

}  // namespace quarry::cli
