#pragma once

#include "base/error.h"
#include "base/json.h"
#include "cli/jsonc.h"

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::cli {

/// The server as a client is to reach it.
struct McpServer {
  std::string name = "quarry";       ///< under which the client lists it
  std::vector<std::string> command;  ///< to start; used when `url` is empty
  std::string url;
  std::string token_variable;  ///< of the environment, for `url`; may be empty
};

/// Something a client asks its user for, as its configuration lists it.
struct McpInput {
  std::string id;
  Json item;  ///< an object with that "id"
};

/// Some program that speaks to MCP servers, and how its configuration says so.
struct McpClient {
  enum class Format { kJson, kToml };

  std::string_view id;     ///< as on our command line
  std::string_view title;  ///< as people call it
  Format format;
  JsonDialect dialect;
  std::string_view table;  ///< the member that holds the servers by their names

  /// Files of the user, the one that is made when none is there first.
  std::vector<std::filesystem::path> (*user_files)(const std::filesystem::path& home);
  /// Of a project, beneath its directory; empty = there is none.
  std::string_view project_file;
  /// How the value of an environment variable is written in a header; empty = it cannot be.
  std::string_view variable;  ///< with NAME in place of the name
  Json (*entry)(const McpServer& server, const std::string& authorization);
};

/// All of them, by their ids.
const std::vector<McpClient>& mcp_clients();
/// Null when there is none.
const McpClient* find_mcp_client(std::string_view id);

/// What stands under the server's name. kUnsupported when the client cannot take the token from
/// somewhere else than its file.
Result<Json> entry_of(const McpClient& client, const McpServer& server);
/// What entry_of refers to, such as a token to ask for.
std::vector<McpInput> inputs_of(const McpClient& client, const McpServer& server);
/// Members of an entry that say how a server is reached: those that entry_of does not give must go.
const std::vector<std::string>& ways_of_reaching();

}  // namespace quarry::cli
