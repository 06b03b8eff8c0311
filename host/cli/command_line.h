#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace quarry::cli {

/// Parsed command line, syntax checked.
struct Arguments {
  std::string verb;  ///< "ask", "plugins list", …

  // For every verb.
  std::optional<std::filesystem::path> config_file;
  std::vector<std::pair<std::string, std::string>> settings;  ///< --set model.provider=…
  std::optional<std::string> server;                          ///< --server URL
  bool json = false;
  bool quiet = false;

  // ask
  std::vector<std::string> resources;
  std::string question;
  std::optional<bool> sync;    ///< check the sources for updates now, or do not
  bool locked = false;         ///< also of serve: use the versions of quarry.lock
  std::string thread;          ///< also of threads show and threads remove; may be empty
  bool continue_last = false;  ///< continue the most recent thread

  // usage
  std::string since;  ///< a day or an age; may be empty
  std::string by;     ///< may be empty

  // projects, tokens
  struct Store {
    std::vector<std::string> projects;
    std::vector<std::string> rights;
    std::string label;    ///< may be empty
    std::string expires;  ///< an age; empty = never
    std::optional<std::uint32_t> requests_per_minute;
    std::optional<std::uint32_t> streams;
    std::string usd_per_day;  ///< empty = no limit
    std::string secret;       ///< "<resource>.<member>"
    std::string env;          ///< variable that holds it; all three empty = standard input
    std::string file;
    std::vector<std::string> command;
  } store;

  // add, remove, sync, clear, projects, tokens
  std::string source;  ///< reference or name
  std::string name;
  std::string type;
  std::string refresh;  ///< may be empty
  std::vector<std::pair<std::string, std::string>> fields;

  // models use
  std::string model;  ///< "provider" or "provider/model"; its options are `fields`

  // mcp setup; also `name`, `file` and `server`
  std::string client;
  std::string url;             ///< may be empty
  std::string token_variable;  ///< may be empty
  bool project = false;        ///< the project's file instead of the user's
  bool write = false;

  // trust; also `file`
  struct Trust {
    bool yes = false;
    bool list = false;
    bool revoke = false;
  } trust;

  // plugins probe, completion
  std::string file;
  std::string shell;
};

/// A text to print instead of running a verb: help (exit 0) or a usage error (exit 2).
struct Usage {
  std::string text;
  int exit_code;
};

/// Reads the command line.
std::variant<Arguments, Usage> parse_command_line(int argc, const char* const* argv);

/// The completion script for "bash", "zsh" or "fish", generated from the same table of verbs.
std::string completion_script(const std::string& shell);

/// Every verb with its options ("ask", "--resource", …), for completion and for the man page's
/// test.
struct VerbOptions {
  std::string verb;
  std::string description;
  std::vector<std::string> options;
};
std::vector<VerbOptions> all_verbs();

}  // namespace quarry::cli
