#pragma once

#include "base/error.h"
#include "cli/component_schemas.h"
#include "cli/exit_code.h"
#include "cli/option.h"
#include "cli/signals.h"
#include "cli/terminal.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace quarry::cli {

/// Options with the same meaning for every verb that has them. Given before a nested verb, as in
/// "threads --json list", they hold for it too.
struct CommonOptions {
  std::optional<std::filesystem::path> config_file;
  NamedValues settings;  ///< --set
  std::optional<std::string> server;
  bool json = false;
};

/// Context in which a verb runs.
struct Context {
  const CommonOptions& common;
  Terminal& terminal;
  Signals& signals;
  std::span<const char* const> words;  ///< of the command line, behind the program's name
};

/// A verb of the command line. It owns the values of its own options, those of the common ones are
/// in the CommonOptions that it was made with, which outlives it.
struct Verb {
  std::string name;             ///< every word: "projects secret set"
  std::string summary;          ///< one line, without a full stop
  std::vector<Option> options;  ///< in the order of the help
  /// Prints its own output; the caller prints an error, once. Empty if only nested verbs run.
  std::function<Result<ExitCode>(Context&)> run = nullptr;
  std::string notes = {};  ///< shown below the options in the help
};

/// Help of --locked.
inline constexpr const char* kLockedHelp = "Use exactly the versions of quarry.lock, or fail";

/// --json
Option json_option(CommonOptions& common);
/// `rows`, then --json.
std::vector<Option> with_json(CommonOptions& common, std::vector<Option> rows = {});
/// --server
Option server_option(CommonOptions& common);
/// `rows`, then --server and --json: options of verbs that need an engine or a server.
std::vector<Option> with_server(CommonOptions& common, std::vector<Option> rows = {});

/// Options of every verb: those that tell where the configuration is.
std::vector<Option> options_of_every_verb(CommonOptions& common);
/// `verbs` with the options of every verb before their own.
std::vector<Verb> with_common_options(CommonOptions& common, std::vector<Verb> verbs);
/// Every verb of the host, in the order of the help, with_common_options(). `types` are those of
/// which "add" has a nested verb.
std::vector<Verb> all_verbs(CommonOptions& common, const std::vector<OfferedType>& types = {});

/// The verbs of a program, as all_verbs() makes those of the host.
using MakeVerbs = std::vector<Verb> (*)(CommonOptions& common,
                                        const std::vector<OfferedType>& types);

}  // namespace quarry::cli
