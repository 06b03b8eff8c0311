#pragma once

#include "base/error.h"
#include "base/json.h"
#include "cli/mcp/jsonc.h"

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::cli {

/// Server to be entered in a client's configuration.
struct McpServer {
  std::string name = "quarry";       ///< name in the client's configuration
  std::vector<std::string> command;  ///< command to start; used if `url` is empty
  std::string url;
  std::string token_variable;  ///< environment variable with the token for `url`; may be empty
};

/// An input that a client requests from its user, as listed in its configuration.
struct McpInput {
  std::string id;
  Json item;  ///< an object with that "id"
};

/// An MCP client and the format of its configuration.
struct McpClient {
  enum class Format { kJson, kToml };

  std::string_view id;     ///< on the command line
  std::string_view title;  ///< for people
  Format format;
  JsonDialect dialect;
  std::string_view table;  ///< member that contains the servers by name

  /// Configuration files of the user; the first one is created if none exists.
  std::vector<std::filesystem::path> (*user_files)(const std::filesystem::path& home);
  /// Path of a project's file in its directory; empty = not supported.
  std::string_view project_file;
  /// Syntax of an environment variable in a header; empty = not supported.
  std::string_view variable;  ///< with NAME for the variable's name
  Json (*entry)(const McpServer& server, const std::string& authorization);
};

/// All clients, ordered by id.
const std::vector<McpClient>& mcp_clients();
/// Null if there is none of this id.
const McpClient* find_mcp_client(std::string_view id);

/// Configuration entry of the server. kUnsupported if the client can take the token only from its
/// file.
Result<Json> entry_of(const McpClient& client, const McpServer& server);
/// Inputs that the entry refers to, such as a token.
std::vector<McpInput> inputs_of(const McpClient& client, const McpServer& server);
/// Members of an entry that define the connection to a server; those absent from entry_of must be
/// removed.
const std::vector<std::string>& ways_of_reaching();

}  // namespace quarry::cli
