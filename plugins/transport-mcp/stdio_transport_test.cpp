#include "transport-mcp/stdio_transport.h"

#include "engine_client/testing/fake_engine.h"
#include "http_server/testing/client.h"
#include "testing/fake_host.h"

#include <string>
#include <unistd.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry::transport_mcp {
namespace {

using engine_client::testing::FakeEngine;
using http_server::testing::wait_for_bytes;
using http_server::testing::wait_until;
using mcp::Json;
using testing::FakeHost;

class StdioTransportTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::pipe(in_), 0);
    ASSERT_EQ(::pipe(out_), 0);
    mcp::StdioOptions options;
    options.input = in_[0];
    options.output = out_[1];
    engine_.answer("host.end", "{}");
    engine_.answer("question.stop", "{}");
    transport_ = std::make_unique<StdioTransport>(host_.host(), "9", options);
    ASSERT_TRUE(transport_->start(engine_.table()));
  }
  void TearDown() override {
    transport_->stop({});
    EXPECT_EQ(engine_.open_readers(), 0);
    EXPECT_EQ(host_.threads.running(), 0);
    for (const int end : {in_[0], in_[1], out_[0], out_[1]}) {
      if (end >= 0) ::close(end);
    }
  }
  void say(const std::string& text) {
    const std::string line = text + "\n";
    ASSERT_EQ(::write(in_[1], line.data(), line.size()), static_cast<ssize_t>(line.size()));
  }
  Json hear() {
    std::string line;
    for (char c = 0; c != '\n';) {
      if (!wait_for_bytes(out_[0]) || ::read(out_[0], &c, 1) != 1) break;
      line += c;
    }
    return Json::parse(line, nullptr, false);
  }

  FakeHost host_;
  FakeEngine engine_;
  std::unique_ptr<StdioTransport> transport_;
  int in_[2] = {-1, -1};
  int out_[2] = {-1, -1};
};

TEST_F(StdioTransportTest, ActsForTheOwnerOnItsConfiguration) {
  engine_.answer("resources.list", R"({"resources":[]})");
  engine_.add_question("q1");
  engine_.emit("q1", "done", R"({"text":"Because."})");
  engine_.end("q1");
  say(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
  EXPECT_EQ(hear()["result"]["tools"].size(), 3U);
  say(R"({"jsonrpc":"2.0","id":2,"method":"tools/call",)"
      R"("params":{"name":"listResources","project":"any"}})");
  EXPECT_EQ(hear()["result"]["structuredContent"], (Json{{"resources", Json::array()}}));
  EXPECT_EQ(engine_.calls().back(), (std::pair<std::string, std::string>("resources.list", "{}")));
  say(R"({"jsonrpc":"2.0","id":3,"method":"tools/call",)"
      R"("params":{"name":"ask","arguments":{"question":"q"}}})");
  EXPECT_EQ(hear()["result"]["structuredContent"]["answer"], "Because.");
}

TEST_F(StdioTransportTest, EndsTheHostWithItsInput) {
  ::close(in_[1]);
  in_[1] = -1;
  EXPECT_TRUE(wait_until([&] { return engine_.count("host.end") == 1; }));
}

TEST_F(StdioTransportTest, ItsOwnEndEndsNobody) {
  transport_->stop({});
  EXPECT_EQ(engine_.count("host.end"), 0U);
}

TEST_F(StdioTransportTest, AQuestionThatRunsEndsWithTheTransport) {
  engine_.add_question("q1");
  say(R"({"jsonrpc":"2.0","id":1,"method":"tools/call",)"
      R"("params":{"name":"ask","arguments":{"question":"q"}}})");
  ASSERT_TRUE(wait_until([&] { return engine_.open_readers() == 1; }));
  transport_->stop({});
  EXPECT_EQ(engine_.open_readers(), 0);
  EXPECT_EQ(engine_.count("question.stop"), 1U);
}

TEST(StdioTransport, RefusesSettingsItDoesNotKnow) {
  FakeHost host;
  EXPECT_TRUE(StdioTransport::create(host.host(), Call(nullptr), "{}", "9"));
  EXPECT_TRUE(
      StdioTransport::create(host.host(), Call(nullptr), R"({"max_message_bytes":4096})", "9"));
  EXPECT_FALSE(StdioTransport::create(host.host(), Call(nullptr), R"({"listen":"x"})", "9"));
}

}  // namespace
}  // namespace quarry::transport_mcp
