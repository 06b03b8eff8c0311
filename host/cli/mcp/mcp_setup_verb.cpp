#include "base/file.h"
#include "base/file_replacement.h"
#include "base/text.h"
#include "base/working_directory.h"
#include "cli/connection.h"
#include "cli/mcp/mcp_setup.h"
#include "cli/mcp/text_diff.h"
#include "cli/verbs.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace quarry::cli {
namespace {

namespace fs = std::filesystem;

struct McpSetupOptions {
  std::string client;
  bool write = false;
  bool project = false;        ///< the project's file instead of the user's
  std::string file;            ///< may be empty
  std::string name;            ///< may be empty
  std::string url;             ///< may be empty
  std::string token_variable;  ///< may be empty
};

bool is_word(std::string_view text, std::string_view also) {
  return !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           also.find(c) != std::string_view::npos;
  });
}

/// The file to change with links resolved, so that a link in a home directory is kept.
Result<fs::path> file_of(const McpClient& client, const McpSetupOptions& options) {
  fs::path file = options.file;
  if (options.project) file = client.project_file;
  if (options.project && file.empty()) {
    return Error{Code::kUnsupported,
                 std::string(client.title) + " has no file of its own for a project",
                 "Leave --project out, or name a file with --file."};
  }
  if (file.empty()) {
    const char* const home = std::getenv("HOME");
    if (home == nullptr || *home != '/') {
      return Error{Code::kInvalidArgument, "HOME names no directory", "Name a file with --file."};
    }
    const auto files = client.user_files(home);
    const auto there = std::ranges::find_if(files, [](const fs::path& each) {
      std::error_code ignored;
      return fs::exists(each, ignored);
    });
    file = there == files.end() ? files.front() : *there;
  }
  const auto absolute = absolute_path(file);
  return absolute ? real_file(*absolute) : absolute;
}

/// How a client starts this program.
std::vector<std::string> mcp_command(bool for_project) {
  // The launcher of the npm package sets it.
  const char* const package = std::getenv("QUARRY_NPM_PACKAGE");
  if (package != nullptr && is_word(package, "@/-_.")) return {"npx", "-y", package, "mcp"};
  // A shared project file must not contain a path of this machine.
  return {for_project ? "quarry" : program_path().string(), "mcp"};
}

Result<McpServer> server_of(const McpSetupOptions& options, const CommonOptions& common) {
  McpServer server;
  if (!options.name.empty()) server.name = options.name;
  if (!is_word(server.name, "-_")) {
    return usage_error("--name must be of letters, digits, - and _");
  }
  if (!options.token_variable.empty() && !is_word(options.token_variable, "_")) {
    return usage_error("--token-env must be the name of an environment variable, not the token");
  }
  const bool web = options.url.starts_with("http://") || options.url.starts_with("https://");
  if (!options.url.empty() && !web) {
    return usage_error("--url must begin with https:// or http://");
  }
  server.url = options.url;
  server.token_variable = options.token_variable;
  server.command = mcp_command(options.project);
  if (common.config_file) {
    server.command.insert(server.command.end(),
                          {"--config", fs::absolute(*common.config_file).string()});
  }
  if (common.server) {
    server.command.insert(server.command.end(), {"--server", *common.server});
  }
  return server;
}

/// Empty if there is no such file.
Result<std::string> text_of(const fs::path& file) {
  auto text = read_file(file);
  if (!text && text.error().code == Code::kNotFound) return std::string();
  return text;
}

/// Fails if the file has changed since it was shown: clients write their files too.
Status write(const fs::path& file, std::string_view before, std::string_view after) {
  const auto now = text_of(file);
  if (!now) return now.error();
  if (*now != before) {
    return Error{Code::kUnavailable, file.string() + " was changed meanwhile by another program",
                 "Nothing was written; try again."};
  }
  std::error_code failed;
  fs::create_directories(file.parent_path(), failed);
  if (failed) return system_error("cannot create " + file.parent_path().string(), failed.value());
  return write_file_atomically(file, after);
}

Result<ExitCode> run_mcp_setup(const McpSetupOptions& options, Context& context) {
  const McpClient& client = *find_mcp_client(options.client);
  const auto server = server_of(options, context.common);
  if (!server) return server.error();
  const auto file = file_of(client, options);
  if (!file) return file.error();
  const auto before = text_of(*file);
  if (!before) return before.error();
  const auto after = with_server(client, *server, *before, *file);
  if (!after) return after.error();
  if (*after == *before) {
    context.terminal.note(file->string() + " has it already.");
    return ExitCode::kOk;
  }
  context.terminal.out(text_diff(*before, *after, file->string()));
  if (!options.write) {
    context.terminal.note("Nothing was written. To make this change: --write.");
    return ExitCode::kOk;
  }
  if (const Status written = write(*file, *before, *after); !written) return written.error();
  context.terminal.note("Written. Start " + std::string(client.title) + " again to use it.");
  return ExitCode::kOk;
}

std::vector<std::string> client_ids() {
  std::vector<std::string> out;
  for (const McpClient& client : mcp_clients()) out.emplace_back(client.id);
  return out;
}

}  // namespace

Verb mcp_setup_verb(CommonOptions& common) {
  const auto options = std::make_shared<McpSetupOptions>();
  return {"mcp setup",
          "Show how a client's configuration would start this program",
          {{"client",
            "",
            join(client_ids(), ", "),
            &options->client,
            {.required = true, .one_of = client_ids()}},
           {"--write", "", "Make the change", &options->write},
           {"--project", "", "Change the file of the project in this directory, not the user's",
            &options->project},
           {"--file", "FILE", "Change this file", &options->file, {.excludes = {"--project"}}},
           {"-n,--name", "", "Name of the server in the client; default: quarry", &options->name},
           {"--url", "", "Use a Quarry server at this URL instead of starting one", &options->url},
           {"--token-env",
            "NAME",
            "The environment variable with the token for --url",
            &options->token_variable,
            {.needs = "--url"}},
           {"-s,--server",
            "URL",
            "Start this program as a bridge to the server at this URL",
            &common.server,
            {.excludes = {"--url"}}}},
          [options](Context& context) { return run_mcp_setup(*options, context); }};
}

}  // namespace quarry::cli
