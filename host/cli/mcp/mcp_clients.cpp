#include "cli/mcp/mcp_clients.h"

#include <algorithm>
#include <cstdlib>

namespace quarry::cli {
namespace {

namespace fs = std::filesystem;
using Files = std::vector<fs::path>;

/// The directory in a variable, or `otherwise`.
fs::path directory_of(const char* variable, const fs::path& otherwise) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value == '/' ? fs::path(value) : otherwise;
}

fs::path config_home(const fs::path& home) {
  return directory_of("XDG_CONFIG_HOME", home / ".config");
}

Json arguments_of(const McpServer& server) {
  Json out = Json::array();
  for (std::size_t i = 1; i < server.command.size(); ++i) out.push_back(server.command[i]);
  return out;
}

Json started(const McpServer& server) {
  return {{"command", server.command.front()}, {"args", arguments_of(server)}};
}

/// An entry with the URL in the client's member.
Json reached(const McpServer& server, const char* member, const std::string& authorization) {
  Json out{{member, server.url}};
  if (!authorization.empty()) out["headers"] = {{"Authorization", authorization}};
  return out;
}

Json with(Json entry, Json more) {
  entry.update(more);
  return entry;
}

Json entry_with_type(const McpServer& server, const std::string& authorization) {
  return server.url.empty() ? with(started(server), {{"type", "stdio"}})
                            : with(reached(server, "url", authorization), {{"type", "http"}});
}

Json entry_for_cursor(const McpServer& server, const std::string& authorization) {
  return server.url.empty() ? started(server) : reached(server, "url", authorization);
}

Json entry_for_codex(const McpServer& server, const std::string&) {
  if (server.url.empty()) return started(server);
  Json out{{"url", server.url}};
  if (!server.token_variable.empty()) out["bearer_token_env_var"] = server.token_variable;
  return out;
}

Json entry_for_opencode(const McpServer& server, const std::string& authorization) {
  if (!server.url.empty()) {
    return with(reached(server, "url", authorization), {{"type", "remote"}, {"enabled", true}});
  }
  return {{"type", "local"}, {"command", server.command}, {"enabled", true}};
}

Json entry_for_gemini(const McpServer& server, const std::string& authorization) {
  return server.url.empty() ? started(server) : reached(server, "httpUrl", authorization);
}

Json entry_for_zed(const McpServer& server, const std::string& authorization) {
  return with(entry_for_cursor(server, authorization), {{"source", "custom"}});
}

Json entry_for_windsurf(const McpServer& server, const std::string& authorization) {
  return server.url.empty() ? started(server) : reached(server, "serverUrl", authorization);
}

// VS Code requests the token from its user once and stores it as a secret.
constexpr const char* kTokenInput = "quarry-token";

}  // namespace

const std::vector<McpClient>& mcp_clients() {
  using Format = McpClient::Format;
  constexpr auto kStrict = JsonDialect::kStrict;
  constexpr auto kLoose = JsonDialect::kWithComments;
  static const std::vector<McpClient> clients = {
      {"claude-code", "Claude Code", Format::kJson, kStrict, "mcpServers",
       [](const fs::path& home) {
         return Files{directory_of("CLAUDE_CONFIG_DIR", home) / ".claude.json"};
       },
       ".mcp.json", "${NAME}", entry_with_type},
      {"codex", "Codex", Format::kToml, kStrict, "mcp_servers",
       [](const fs::path& home) {
         return Files{directory_of("CODEX_HOME", home / ".codex") / "config.toml"};
       },
       ".codex/config.toml", "NAME", entry_for_codex},
      {"cursor", "Cursor", Format::kJson, kLoose, "mcpServers",
       [](const fs::path& home) { return Files{home / ".cursor/mcp.json"}; }, ".cursor/mcp.json",
       "${env:NAME}", entry_for_cursor},
      {"gemini-cli", "Gemini CLI", Format::kJson, kLoose, "mcpServers",
       [](const fs::path& home) { return Files{home / ".gemini/settings.json"}; },
       ".gemini/settings.json", "${NAME}", entry_for_gemini},
      {"opencode", "opencode", Format::kJson, kLoose, "mcp",
       [](const fs::path& home) {
         const fs::path directory = config_home(home) / "opencode";
         return Files{directory / "opencode.json", directory / "opencode.jsonc"};
       },
       "opencode.json", "{env:NAME}", entry_for_opencode},
      {"vscode", "VS Code", Format::kJson, kLoose, "servers",
       [](const fs::path& home) { return Files{config_home(home) / "Code/User/mcp.json"}; },
       ".vscode/mcp.json", "${input:quarry-token}", entry_with_type},
      {"windsurf", "Windsurf", Format::kJson, kLoose, "mcpServers",
       [](const fs::path& home) { return Files{home / ".codeium/windsurf/mcp_config.json"}; }, "",
       "${env:NAME}", entry_for_windsurf},
      {"zed", "Zed", Format::kJson, kLoose, "context_servers",
       [](const fs::path& home) { return Files{config_home(home) / "zed/settings.json"}; }, "", "",
       entry_for_zed},
  };
  return clients;
}

const McpClient* find_mcp_client(std::string_view id) {
  const auto found = std::ranges::find(mcp_clients(), id, &McpClient::id);
  return found == mcp_clients().end() ? nullptr : &*found;
}

Result<Json> entry_of(const McpClient& client, const McpServer& server) {
  if (server.token_variable.empty()) return client.entry(server, "");
  if (client.variable.empty()) {
    return Error{Code::kUnsupported,
                 std::string(client.title) +
                     " sends headers as written: its file would contain the token itself",
                 "Let it start \"quarry mcp --server " + server.url +
                     "\" instead (--server in place of --url), with the token in QUARRY_TOKEN."};
  }
  std::string reference(client.variable);
  if (const auto name = reference.find("NAME"); name != std::string::npos) {
    reference.replace(name, 4, server.token_variable);
  }
  return client.entry(server, "Bearer " + reference);
}

std::vector<McpInput> inputs_of(const McpClient& client, const McpServer& server) {
  if (client.id != "vscode" || server.token_variable.empty()) return {};
  return {{kTokenInput,
           {{"type", "promptString"},
            {"id", kTokenInput},
            {"description", "Token of Quarry (" + server.token_variable + ")"},
            {"password", true}}}};
}

const std::vector<std::string>& ways_of_reaching() {
  static const std::vector<std::string> members = {
      "type", "command", "args", "url", "httpUrl", "serverUrl", "headers", "bearer_token_env_var"};
  return members;
}

}  // namespace quarry::cli
