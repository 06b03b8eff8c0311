#include "cli/mcp/mcp_bridge.h"

#include "services/testing/scripted_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

using services::testing::ClientHost;
using services::testing::ok;
using services::testing::Peer;
using services::testing::ScriptedServer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// A bridge to a scripted server.
struct Bridged {
  explicit Bridged(ScriptedServer::Script script) : server(std::move(script)) {}

  McpBridge::Parts parts() {
    return {server.url("/api/mcp"), "qry_1", host.client(), [this](std::string_view message) {
              const std::lock_guard lock(mutex);
              lines.emplace_back(message);
              messages.push_back(*parse_json(message));
            }};
  }
  /// Sends each line after the response to the previous one.
  void run(const std::vector<std::string>& lines) {
    McpBridge bridge(parts());
    for (const auto& line : lines) {
      bridge.take(line);
      bridge.finish();
    }
  }

  ScriptedServer server;
  ClientHost host;
  std::mutex mutex;
  std::vector<std::string> lines;
  std::vector<Json> messages;
};

const std::string kPing = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";

std::string status(int code, const std::string& body, const std::string& type) {
  return "HTTP/1.1 " + std::to_string(code) + " Status\r\nContent-Type: " + type +
         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

TEST(McpBridge, PostsALineWithTheTokenAndWritesTheAnswer) {
  std::string asked;
  Bridged bridged([&](Peer& peer) {
    asked = peer.request().value();
    peer.write(ok(R"({"jsonrpc":"2.0","id":1,"result":{}})"));
  });
  bridged.run({kPing});
  EXPECT_THAT(asked, HasSubstr("POST /api/mcp "));
  EXPECT_THAT(asked, HasSubstr("Authorization: Bearer qry_1"));
  EXPECT_THAT(asked, HasSubstr("Accept: application/json, text/event-stream"));
  EXPECT_THAT(asked, HasSubstr(kPing.substr(1, 10)));
  EXPECT_THAT(bridged.messages,
              ElementsAre(Json{{"jsonrpc", "2.0"}, {"id", 1}, {"result", Json::object()}}));
}

TEST(McpBridge, WritesEveryMessageOfAStreamAsALineOfItsOwn) {
  Bridged bridged([](Peer& peer) {
    peer.request();
    peer.write(
        ok(": comment\n\n"
           "event: message\ndata: {\"jsonrpc\":\"2.0\",\ndata: \"method\":\"x\"}\n\n"
           "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n",
           "Content-Type: text/event-stream\r\n"));
  });
  bridged.run({kPing});
  ASSERT_EQ(bridged.messages.size(), 2u);
  EXPECT_EQ(bridged.messages[0]["method"], "x");
  EXPECT_EQ(bridged.messages[1]["id"], 1);
}

// modelcontextprotocol/typescript-sdk#1925: readers of lines that split there
TEST(McpBridge, WritesNoLineSeparatorOfUnicode) {
  Bridged bridged([](Peer& peer) {
    peer.request();
    peer.write(ok("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"\xE2\x80\xA8\"}"));
  });
  bridged.run({kPing});
  EXPECT_THAT(bridged.lines, ElementsAre(R"({"id":1,"jsonrpc":"2.0","result":"\u2028"})"));
}

TEST(McpBridge, KeepsTheSessionAndTheVersionThatWereAgreedUpon) {
  std::vector<std::string> asked;
  Bridged bridged([&](Peer& peer) {
    while (const auto request = peer.request()) {
      asked.push_back(*request);
      peer.write(ok(R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}})",
                    "Mcp-Session-Id: s1\r\n"));
    }
  });
  bridged.run({R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{}})", kPing});
  ASSERT_EQ(asked.size(), 2u);
  EXPECT_THAT(asked[0], Not(HasSubstr("Mcp-Session-Id")));
  EXPECT_THAT(asked[1], HasSubstr("Mcp-Session-Id: s1"));
  EXPECT_THAT(asked[1], HasSubstr("MCP-Protocol-Version: 2025-06-18"));
}

TEST(McpBridge, MirrorsWhatTheModernRevisionWantsInHeaders) {
  const auto headers = mirrored_headers(*parse_json(
      R"({"method":"tools/call","params":{"name":"ask",
          "_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})"));
  std::map<std::string, std::string> found;
  for (const auto& header : headers) found[header.name] = header.value;
  EXPECT_THAT(found,
              ElementsAre(std::pair("MCP-Protocol-Version", "2026-07-28"),
                          std::pair("Mcp-Method", "tools/call"), std::pair("Mcp-Name", "ask")));
}

TEST(McpBridge, AHeaderIsNeverMadeOfWhatWouldEndIt) {
  const auto headers = mirrored_headers({{"method", "x\r\nEvil: 1"}});
  EXPECT_TRUE(headers.empty());
}

TEST(McpBridge, ARefusalOfTheServerIsAnErrorOfTheRequest) {
  Bridged bridged([](Peer& peer) {
    peer.request();
    peer.write(status(401, R"({"error":"unauthenticated","message":"the token is not valid"})",
                      "application/json"));
  });
  bridged.run({kPing});
  ASSERT_EQ(bridged.messages.size(), 1u);
  EXPECT_EQ(bridged.messages[0]["id"], 1);
  EXPECT_THAT(bridged.messages[0]["error"]["message"].get<std::string>(),
              HasSubstr("401: the token is not valid"));
}

TEST(McpBridge, AJsonRpcErrorKeepsItsWordsWhateverTheStatus) {
  Bridged bridged([](Peer& peer) {
    peer.request();
    peer.write(status(404, R"({"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}})",
                      "application/json"));
  });
  bridged.run({kPing});
  EXPECT_EQ(bridged.messages.at(0)["error"]["code"], -32601);
}

TEST(McpBridge, ARequestWithoutAResponseGetsAnError) {
  const std::string begun = "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"roots/list\"}\n\n";
  for (const std::string& response :
       {ok("<html>Sign in</html>", "Content-Type: text/html\r\n"), status(202, "", "text/plain"),
        ok(begun, "Content-Type: text/event-stream\r\n")}) {
    Bridged bridged([&](Peer& peer) {
      peer.request();
      peer.write(response);
    });
    bridged.run({kPing});
    ASSERT_FALSE(bridged.messages.empty()) << response;
    const Json& last = bridged.messages.back();
    EXPECT_EQ(last["id"], 1) << response;
    EXPECT_THAT(last["error"]["message"].get<std::string>(),
                HasSubstr("without a response to this request"));
  }
}

TEST(McpBridge, AStreamThatBreaksOffAfterItsResponseIsNoSecondOne) {
  Bridged bridged([](Peer& peer) {
    peer.request();
    peer.write(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 999\r\n\r\n"
        "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n");
    peer.end();
  });
  bridged.run({kPing});
  ASSERT_EQ(bridged.messages.size(), 1u);
  EXPECT_TRUE(bridged.messages[0].contains("result"));
}

TEST(McpBridge, AServerThatIsAwayIsAnErrorOfTheRequest) {
  std::string url;
  {
    const ScriptedServer gone([](Peer&) {});
    url = gone.url();
  }
  Bridged bridged([](Peer&) {});
  auto parts = bridged.parts();
  parts.url = url;
  McpBridge bridge(std::move(parts));
  bridge.take(kPing);
  bridge.finish();
  ASSERT_EQ(bridged.messages.size(), 1u);
  EXPECT_EQ(bridged.messages[0]["error"]["code"], -32000);
}

TEST(McpBridge, WhatAsksForNoAnswerGetsNone) {
  Bridged bridged([](Peer& peer) {
    peer.request();
    peer.write(status(202, "", "text/plain"));
  });
  bridged.run({R"({"jsonrpc":"2.0","method":"notifications/initialized"})", "", "  "});
  EXPECT_TRUE(bridged.messages.empty());
}

TEST(McpBridge, ALineThatIsNoJsonIsAnsweredHere) {
  Bridged bridged([](Peer&) { ADD_FAILURE() << "was sent"; });
  bridged.run({"{broken"});
  ASSERT_EQ(bridged.messages.size(), 1u);
  EXPECT_EQ(bridged.messages[0]["error"]["code"], -32700);
  EXPECT_TRUE(bridged.messages[0]["id"].is_null());
}

TEST(McpBridge, ItsEndCutsWhatIsOnItsWay) {
  std::promise<void> asked;
  Bridged bridged([&](Peer& peer) {
    peer.request();
    peer.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: begun\n\n");
    asked.set_value();
    peer.wait_until_closed();
  });
  {
    McpBridge bridge(bridged.parts());
    bridge.take(kPing);
    asked.get_future().wait();
  }
  EXPECT_TRUE(bridged.messages.empty());
}

}  // namespace
}  // namespace quarry::cli
