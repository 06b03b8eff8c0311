#include "base/json.h"
#include "cli/connection.h"
#include "services/testing/scripted_server.h"

#include <atomic>
#include <csignal>
#include <future>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

using services::testing::ok;
using services::testing::Peer;
using services::testing::ScriptedServer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kStream = "Content-Type: text/event-stream\r\n";

std::string event(const std::string& type, const std::string& json) {
  return "event: " + type + "\ndata: " + json + "\n\n";
}

/// A connection to a server that answers each request with the next of these.
struct Remote {
  explicit Remote(std::vector<std::string> responses)
      : server([this, responses = std::move(responses)](Peer& peer) {
          while (const auto request = peer.request()) {
            if (next == responses.size()) return;
            peer.write(responses[next++]);
          }
        }),
        connection(*connect_to_server(server.url(), signals)) {}

  Status ask() {
    return connection->ask("{}", [&](std::string_view type, std::string_view) {
      types.emplace_back(type);
      return true;
    });
  }

  Signals signals;
  std::atomic<std::size_t> next = 0;
  ScriptedServer server;
  std::unique_ptr<Connection> connection;
  std::vector<std::string> types;
};

TEST(RemoteConnection, TellsOfAStreamThatBreaksOffAlsoAfterAWholeOne) {
  const std::string whole = event("meta", R"({"id":"q1"})") + event("done", "{}");
  Remote remote({ok(whole, kStream), ok(event("meta", R"({"id":"q2"})"), kStream)});
  EXPECT_TRUE(remote.ask());
  const Status second = remote.ask();
  EXPECT_THAT(remote.types, ElementsAre("meta", "done", "meta"));
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("closed the stream in the middle"));
}

TEST(RemoteConnection, TellsOfAStrangerAlsoAfterAServer) {
  const std::string whole = event("meta", R"({"id":"q1"})") + event("done", "{}");
  Remote remote({ok(whole, kStream), ok("<html>", "Content-Type: text/html\r\n")});
  EXPECT_TRUE(remote.ask());
  const Status second = remote.ask();
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("is no Quarry"));
}

TEST(RemoteConnection, TellsOfAStrangerWhoAnswersWithOtherJson) {
  for (const char* body : {"[]", "\"up\"", "7"}) {
    Remote remote({ok(body, "Content-Type: application/json\r\n")});
    const auto listed = remote.connection->call("threads.list", "{}");
    ASSERT_FALSE(listed) << body;
    EXPECT_THAT(listed.error().message, HasSubstr("is no Quarry"));
  }
}

constexpr const char* kJson = "Content-Type: application/json\r\n";

TEST(RemoteConnection, RefusesTheObjectOfAStranger) {
  for (const char* method : {"threads.list", "usage.report", "resources.remove", "models.select",
                             "plugins.reload", "tools.grep", "schemas"}) {
    Remote remote({ok(R"({"status":"ok"})", kJson)});
    const auto answer = remote.connection->call(method, R"({"name":"docs"})");
    ASSERT_FALSE(answer) << method;
    EXPECT_EQ(answer.error().code, Code::kUnavailable);
    EXPECT_THAT(answer.error().message, HasSubstr("is no Quarry")) << method;
  }
}

TEST(RemoteConnection, TakesWhatALaterVersionAddsAndNamesWhatAnotherHasOtherwise) {
  Remote later({ok(R"({"threads":[],"more":1})", kJson)});
  EXPECT_EQ(later.connection->call("threads.list", "{}").value_or(""),
            R"({"threads":[],"more":1})");
  Remote other({ok(R"({"threads":[{"id":3}]})", kJson)});
  const auto listed = other.connection->call("threads.list", "{}");
  ASSERT_FALSE(listed);
  EXPECT_THAT(listed.error().message,
              HasSubstr("or one of another version: in its answer to /threads: \"threads/0"));
}

TEST(RemoteConnection, NamesAnEventThatHasAnotherForm) {
  Remote remote({ok(event("meta", R"({"id":"q1"})") + event("text.delta", R"({"text":"a"})") +
                        event("done", "{}"),
                    kStream)});
  std::vector<std::string> read;
  const Status asked =
      remote.connection->ask("{}", [&](std::string_view type, std::string_view json) {
        const Json value = *parse_json(json);
        if (type == "text.delta") read.push_back(value.at("delta"));
        read.emplace_back(type);
        return true;
      });
  EXPECT_THAT(read, ElementsAre("meta"));
  ASSERT_FALSE(asked);
  EXPECT_THAT(asked.error().message, HasSubstr("the event text.delta has another form"));
}

TEST(RemoteConnection, StopsAQuestionWhoseAnswerNobodyReads) {
  Signals signals;
  std::promise<std::string> stopping;
  auto stop = stopping.get_future().share();
  const ScriptedServer server([&, stop](Peer& peer) {
    const std::string request = peer.request().value_or("");
    if (!request.starts_with("POST /question/stream")) {
      peer.write(ok("{}"));
      return stopping.set_value(request);
    }
    peer.write(std::string("HTTP/1.1 200 OK\r\n") + kStream + "Connection: close\r\n\r\n" +
               event("meta", R"({"id":"q1"})") + event("text.delta", R"({"delta":"a"})"));
    stop.wait();
    peer.write(event("done", "{}"));
    peer.end();
  });
  const auto connection = *connect_to_server(server.url(), signals);
  std::string last;
  EXPECT_TRUE(connection->ask("{}", [&](std::string_view type, std::string_view) {
    last = type;
    return type != "text.delta";
  }));
  EXPECT_EQ(last, "done");
  EXPECT_THAT(stop.get(), HasSubstr("POST /question/q1/stop "));
}

TEST(RemoteConnection, EndsACallThatTakesLongByAnInterrupt) {
  Signals signals;
  const ScriptedServer server([](Peer& peer) {
    peer.request();
    ::kill(::getpid(), SIGINT);
    peer.wait_until_closed();
  });
  const auto connection = *connect_to_server(server.url(), signals);
  const auto listed = connection->call("models.list", "{}");
  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().code, Code::kCancelled);
}

}  // namespace
}  // namespace quarry::cli
