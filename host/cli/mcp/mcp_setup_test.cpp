#include "cli/mcp/mcp_setup.h"

#include "config/document.h"

#include <gmock/gmock.h>

namespace quarry::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const McpServer kStarted{"quarry", {"/opt/quarry", "mcp"}, "", ""};
const McpServer kReached{"quarry", {}, "https://q.example/api/mcp", "QUARRY_TOKEN"};
const McpServer kOpen{"quarry", {}, "https://q.example/api/mcp", ""};

const McpClient& client(std::string_view id) {
  return *find_mcp_client(id);
}

std::string set_up(std::string_view id, const McpServer& server, std::string text = "") {
  const auto after = with_server(client(id), server, std::move(text), "f");
  if (!after) ADD_FAILURE() << id << ": " << after.error().message;
  return after ? *after : "";
}

Json parsed(std::string_view id, const std::string& text) {
  if (client(id).format == McpClient::Format::kToml) {
    return config::parse_document(text, "f").value().root;
  }
  return parse_jsonc(text, client(id).dialect, "f").value().value;
}

/// Entry of the server after setup in an empty file.
Json entry(std::string_view id, const McpServer& server) {
  return parsed(id, set_up(id, server))[std::string(client(id).table)][server.name];
}

TEST(McpClients, AreStartedAsEachOfThemWritesIt) {
  const Json plain = Json::parse(R"({"command": "/opt/quarry", "args": ["mcp"]})");
  Json typed = plain;
  typed["type"] = "stdio";
  Json zed = plain;
  zed["source"] = "custom";
  EXPECT_EQ(entry("claude-code", kStarted), typed);
  EXPECT_EQ(entry("codex", kStarted), plain);
  EXPECT_EQ(entry("cursor", kStarted), plain);
  EXPECT_EQ(entry("gemini-cli", kStarted), plain);
  EXPECT_EQ(
      entry("opencode", kStarted),
      Json::parse(R"({"type": "local", "command": ["/opt/quarry", "mcp"], "enabled": true})"));
  EXPECT_EQ(entry("vscode", kStarted), typed);
  EXPECT_EQ(entry("windsurf", kStarted), plain);
  EXPECT_EQ(entry("zed", kStarted), zed);
}

TEST(McpClients, AreGivenAUrlAndWhereTheTokenIs) {
  const auto reached = [](const char* url, const char* token, Json more = Json::object()) {
    more[url] = kReached.url;
    more["headers"] = {{"Authorization", std::string("Bearer ") + token}};
    return more;
  };
  EXPECT_EQ(entry("claude-code", kReached), reached("url", "${QUARRY_TOKEN}", {{"type", "http"}}));
  EXPECT_EQ(entry("codex", kReached),
            Json({{"url", kReached.url}, {"bearer_token_env_var", "QUARRY_TOKEN"}}));
  EXPECT_EQ(entry("cursor", kReached), reached("url", "${env:QUARRY_TOKEN}"));
  EXPECT_EQ(entry("gemini-cli", kReached), reached("httpUrl", "${QUARRY_TOKEN}"));
  EXPECT_EQ(entry("opencode", kReached),
            reached("url", "{env:QUARRY_TOKEN}", {{"type", "remote"}, {"enabled", true}}));
  EXPECT_EQ(entry("vscode", kReached), reached("url", "${input:quarry-token}", {{"type", "http"}}));
  EXPECT_EQ(entry("windsurf", kReached), reached("serverUrl", "${env:QUARRY_TOKEN}"));
  const auto zed = with_server(client("zed"), kReached, "", "f");
  ASSERT_FALSE(zed) << "it would send the name of the variable";
  EXPECT_THAT(zed.error().hint, HasSubstr("quarry mcp --server https://q.example/api/mcp"));
  EXPECT_EQ(entry("zed", kOpen), Json({{"url", kOpen.url}, {"source", "custom"}}));
}

TEST(McpClients, AreAskedForTheTokenWhereTheyKeepSecrets) {
  const std::string text = set_up("vscode", kReached, "{\"inputs\": [{\"id\": \"x\"}]}");
  const Json inputs = parsed("vscode", text)["inputs"];
  ASSERT_EQ(inputs.size(), 2u);
  EXPECT_EQ(inputs[0]["id"], "quarry-token");
  EXPECT_EQ(inputs[0]["password"], true);
  EXPECT_EQ(set_up("vscode", kReached, text), text);
}

TEST(McpSetup, ChangesNothingTheSecondTime) {
  for (const McpClient& each : mcp_clients()) {
    for (const McpServer& server : {kStarted, kOpen, kReached}) {
      if (each.id == "zed" && !server.token_variable.empty()) continue;
      const std::string once = set_up(each.id, server);
      EXPECT_EQ(set_up(each.id, server, once), once) << each.id;
    }
  }
}

TEST(McpSetup, GoesFromOneWayToTheOtherAndBack) {
  for (const McpClient& each : mcp_clients()) {
    const std::string started = set_up(each.id, kStarted);
    const std::string reached = set_up(each.id, kOpen, started);
    EXPECT_EQ(parsed(each.id, reached), parsed(each.id, set_up(each.id, kOpen))) << each.id;
    EXPECT_EQ(parsed(each.id, set_up(each.id, kStarted, reached)), parsed(each.id, started))
        << each.id;
  }
}

TEST(McpSetup, KeepsWhatTheUserAddedToTheServer) {
  const std::string before =
      "{\n  \"mcpServers\": {\n    // mine\n    \"quarry\": {\n      \"type\": \"stdio\",\n"
      "      \"command\": \"quarry\", // found by PATH\n      \"args\": [\"mcp\"],\n"
      "      \"env\": {\"A\": \"b\"}\n    },\n    \"other\": {\"url\": \"http://x\"}\n  }\n}\n";
  std::string want = before;
  want.replace(want.find("\"quarry\", //"), 8, "\"/opt/quarry\"");
  EXPECT_EQ(set_up("cursor", kStarted, before), want);
}

TEST(McpSetup, KeepsEveryByteOfTheRestOfATomlFile) {
  const std::string before =
      "model = \"gpt-5\"  # the one\n\n[mcp_servers.other]\ncommand = 'x'\n\n[projects.\"/a b\"]\n"
      "trust_level = \"trusted\"";
  EXPECT_EQ(set_up("codex", kStarted, before),
            before + "\n\n[mcp_servers.quarry]\nargs = [\"mcp\"]\ncommand = \"/opt/quarry\"\n");
  EXPECT_EQ(
      set_up(
          "codex", kStarted,
          "[mcp_servers.quarry]\ncommand = 'old' # c\nargs = [ \"mcp\" ]\nenabled = true\n\n[x]\n"),
      "[mcp_servers.quarry]\ncommand = \"/opt/quarry\" # c\nargs = [ \"mcp\" ]\nenabled = true\n\n"
      "[x]\n");
  EXPECT_EQ(set_up("codex", kReached,
                   "[mcp_servers.quarry]\ncommand = 'old' # c\nargs = [\n  \"mcp\",\n]\n\n[x]\n"),
            "[mcp_servers.quarry]\nurl = \"https://q.example/api/mcp\"\n"
            "bearer_token_env_var = \"QUARRY_TOKEN\"\n# c\n\n[x]\n");
}

TEST(McpSetup, RefusesWhatItCannotReadOrKeep) {
  const auto refused = [](std::string_view id, const char* text) {
    const auto after = with_server(client(id), kStarted, text, "/home/f");
    return after ? "" : after.error().message;
  };
  EXPECT_THAT(refused("cursor", "{\n  \"a\": oops\n}"), StartsWith("/home/f:2:8: not valid JSON"));
  EXPECT_THAT(refused("claude-code", "{} // none"), StartsWith("/home/f:1:4"));
  EXPECT_THAT(refused("codex", "a = 1\na = "), StartsWith("/home/f:2:"));
  EXPECT_THAT(refused("codex", "mcp_servers = { other = { command = 'x' } }\n"),
              HasSubstr("cannot be changed safely"));
  EXPECT_THAT(refused("codex", "mcp_servers.quarry.command = 'x'\n"),
              HasSubstr("cannot be changed safely"));
  EXPECT_THAT(refused("codex", "[mcp_servers]\nquarry = 1\n"), HasSubstr("safely"));
  EXPECT_THAT(refused("codex", "mcp_servers = 'x'\n"), HasSubstr("safely"));
  EXPECT_THAT(refused("codex", "[[mcp_servers]]\n"), HasSubstr("safely"));
  EXPECT_THAT(refused("cursor", "{\"mcpServers\": null}"), HasSubstr("not an object"));
  EXPECT_THAT(refused("cursor", "{\"mcpServers\": {\"quarry\": 1}}"), HasSubstr("not an object"));
  EXPECT_THAT(refused("vscode", "{\"servers\": []}"), HasSubstr("servers is not an object"));
  EXPECT_THAT(refused("zed", "[1]"), HasSubstr("not an object"));
}

TEST(McpClients, HaveTheirFilesInTheHomeOrWhereVariablesSay) {
  const auto clear = [] {
    for (const char* name : {"XDG_CONFIG_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR"}) {
      ::unsetenv(name);
    }
  };
  clear();
  const auto file = [](std::string_view id) {
    return client(id).user_files("/h").front().string();
  };
  EXPECT_EQ(file("claude-code"), "/h/.claude.json");
  EXPECT_EQ(file("codex"), "/h/.codex/config.toml");
  EXPECT_EQ(file("cursor"), "/h/.cursor/mcp.json");
  EXPECT_EQ(file("gemini-cli"), "/h/.gemini/settings.json");
  EXPECT_EQ(file("opencode"), "/h/.config/opencode/opencode.json");
  EXPECT_EQ(file("vscode"), "/h/.config/Code/User/mcp.json");
  EXPECT_EQ(file("windsurf"), "/h/.codeium/windsurf/mcp_config.json");
  EXPECT_EQ(file("zed"), "/h/.config/zed/settings.json");
  ::setenv("XDG_CONFIG_HOME", "/c", 1);
  ::setenv("CODEX_HOME", "/x", 1);
  ::setenv("CLAUDE_CONFIG_DIR", "/y", 1);
  EXPECT_EQ(file("zed"), "/c/zed/settings.json");
  EXPECT_EQ(file("codex"), "/x/config.toml");
  EXPECT_EQ(file("claude-code"), "/y/.claude.json");
  clear();
}

}  // namespace
}  // namespace quarry::cli
