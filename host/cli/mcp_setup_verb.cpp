#include "base/file.h"
#include "cli/connection.h"
#include "cli/mcp_setup.h"
#include "cli/text_diff.h"
#include "cli/verbs.h"

#include <algorithm>
#include <cstdlib>

namespace quarry::cli {
namespace {

namespace fs = std::filesystem;

bool is_word(std::string_view text, std::string_view also) {
  return !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           also.find(c) != std::string_view::npos;
  });
}

Error wrong_option(std::string message) {
  return {Code::kInvalidArgument, std::move(message), ""};
}

/// The file to change with links resolved, so that a link in a home directory is kept.
Result<fs::path> file_of(const McpClient& client, const Arguments& arguments) {
  fs::path file = arguments.file;
  if (arguments.project) file = client.project_file;
  if (arguments.project && file.empty()) {
    return Error{Code::kUnsupported,
                 std::string(client.title) + " has no file of its own for a project",
                 "Leave --project out, or name a file with --file."};
  }
  if (file.empty()) {
    const char* const home = std::getenv("HOME");
    if (home == nullptr || *home != '/') return wrong_option("HOME names no directory");
    const auto files = client.user_files(home);
    const auto there = std::ranges::find_if(files, [](const fs::path& each) {
      std::error_code ignored;
      return fs::exists(each, ignored);
    });
    file = there == files.end() ? files.front() : *there;
  }
  std::error_code ignored;
  const fs::path real = fs::weakly_canonical(fs::absolute(file), ignored);
  return real.empty() ? fs::absolute(file) : real;
}

Result<McpServer> server_of(const Arguments& arguments) {
  McpServer server;
  if (!arguments.name.empty()) server.name = arguments.name;
  if (!is_word(server.name, "-_")) {
    return wrong_option("--name must be of letters, digits, - and _");
  }
  if (!arguments.token_variable.empty() && !is_word(arguments.token_variable, "_")) {
    return wrong_option("--token-env must be the name of an environment variable, not the token");
  }
  const bool web = arguments.url.starts_with("http://") || arguments.url.starts_with("https://");
  if (!arguments.url.empty() && !web) {
    return wrong_option("--url must begin with https:// or http://");
  }
  server.url = arguments.url;
  server.token_variable = arguments.token_variable;
  // A shared project file must not contain a path of this machine.
  server.command = {arguments.project ? "quarry" : program_path().string(), "mcp"};
  if (arguments.config_file) {
    server.command.insert(server.command.end(),
                          {"--config", fs::absolute(*arguments.config_file).string()});
  }
  if (arguments.server) {
    server.command.insert(server.command.end(), {"--server", *arguments.server});
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

}  // namespace

Result<ExitCode> run_mcp_setup(Context& context) {
  const Arguments& arguments = context.arguments;
  const McpClient& client = *find_mcp_client(arguments.client);
  const auto server = server_of(arguments);
  if (!server) return server.error();
  const auto file = file_of(client, arguments);
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
  if (!arguments.write) {
    context.terminal.note("Nothing was written. To make this change: --write.");
    return ExitCode::kOk;
  }
  if (const Status written = write(*file, *before, *after); !written) return written.error();
  context.terminal.note("Written. Start " + std::string(client.title) + " again to use it.");
  return ExitCode::kOk;
}

}  // namespace quarry::cli
