#include "mcp_server/stdio_session.h"

#include "http_server/testing/client.h"
#include "testing/fakes.h"

#include <string>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/socket.h>

namespace quarry::mcp::testing {
namespace {

using http_server::testing::wait_for_bytes;
using http_server::testing::wait_until;

class StdioTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::pipe(in_), 0);
    ASSERT_EQ(::pipe(out_), 0);
    options_.input = in_[0];
    options_.output = out_[1];
  }
  void start() {
    session_ = std::make_unique<StdioSession>(catalogue_, options_);
    thread_ = std::thread([this] { session_->run(); });
  }
  void TearDown() override {
    if (thread_.joinable()) {
      session_->stop();
      thread_.join();
    }
    EXPECT_EQ(catalogue_.waiting(), 0U);
    for (const int end : {in_[0], in_[1], out_[0], out_[1]}) {
      if (end >= 0) ::close(end);
    }
  }

  void send_line(const std::string& text) {
    const std::string line = text + "\n";
    ASSERT_EQ(::write(in_[1], line.data(), line.size()), static_cast<ssize_t>(line.size()));
  }
  void end_input() {
    ::close(in_[1]);
    in_[1] = -1;
  }
  /// The next line; empty if none arrives in time.
  std::string receive_line() {
    std::size_t end = 0;
    while ((end = heard_.find('\n')) == std::string::npos) {
      if (!wait_for_bytes(out_[0])) return {};
      char buffer[4096];
      const ssize_t got = ::read(out_[0], buffer, sizeof buffer);
      if (got <= 0) return {};
      heard_.append(buffer, static_cast<std::size_t>(got));
    }
    std::string line = heard_.substr(0, end);
    heard_.erase(0, end + 1);
    return line;
  }
  static std::string call(std::string_view method, std::string_view params = "{}",
                          std::string_view id = "1") {
    return R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"method":")" + std::string(method) +
           R"(","params":)" + std::string(params) + "}";
  }
  static std::string cancel(std::string_view id) {
    return R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" +
           std::string(id) + "}}";
  }

  static constexpr std::string_view kMeta =
      R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
      R"("io.modelcontextprotocol/clientCapabilities":{},"progressToken":5})";
  FakeCatalogue catalogue_;
  StdioOptions options_;
  std::unique_ptr<StdioSession> session_;
  std::thread thread_;
  int in_[2] = {-1, -1};
  int out_[2] = {-1, -1};
  std::string heard_;
};

TEST_F(StdioTest, ServesTheLegacyEra) {
  start();
  send_line(call("initialize", R"({"protocolVersion":"2025-06-18"})"));
  EXPECT_EQ(Json::parse(receive_line())["result"]["protocolVersion"], "2025-06-18");
  send_line(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  send_line("");
  send_line(call("ping", "{}", "\"a\"") + "\r");
  EXPECT_EQ(receive_line(), R"({"jsonrpc":"2.0","id":"a","result":{}})");
  send_line(call("tools/call", R"({"name":"echo","arguments":{"a":"line\nbreak"}})"));
  EXPECT_NE(receive_line().find("line"), std::string::npos);
  send_line(call("no/such"));
  EXPECT_EQ(Json::parse(receive_line())["error"]["code"], kMethodNotFound);
}

// modelcontextprotocol/typescript-sdk#1925: readers of lines that split there
TEST_F(StdioTest, WritesNoLineSeparatorOfUnicode) {
  start();
  send_line(call("tools/call", R"({"name":"echo","arguments":{"a":"1\u20282\u20293\u00854"}})"));
  const std::string line = receive_line();
  EXPECT_NE(line.find(R"(1\u20282\u20293\u00854)"), std::string::npos) << line;
}

TEST_F(StdioTest, ServesTheModernEraWithoutHeaders) {
  start();
  send_line(call("server/discover", "{" + std::string(kMeta) + "}"));
  EXPECT_EQ(Json::parse(receive_line())["result"]["resultType"], "complete");
  send_line(
      call("tools/list", R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}})"));
  EXPECT_EQ(Json::parse(receive_line())["error"]["code"], kInvalidParams);
  send_line(call("initialize", "{" + std::string(kMeta) + "}"));
  EXPECT_EQ(Json::parse(receive_line())["error"]["code"], kMethodNotFound);
}

TEST_F(StdioTest, AnswersWhatIsNoMessage) {
  start();
  send_line("nonsense");
  EXPECT_EQ(Json::parse(receive_line())["error"]["code"], kParseError);
  send_line("[]");
  EXPECT_EQ(Json::parse(receive_line())["error"]["code"], kInvalidRequest);
  send_line(call("ping", "{}", "null"));
  EXPECT_EQ(Json::parse(receive_line())["error"]["code"], kInvalidRequest);
  send_line(R"({"jsonrpc":"2.0","method":"unknown"})");  // a notification has no answer
  send_line(call("ping"));
  EXPECT_EQ(Json::parse(receive_line())["result"], Json::object());
}

TEST_F(StdioTest, MessagesAreBounded) {
  options_.most_bytes = 100'000;
  start();
  std::thread writer([this] {
    send_line(call("ping", "{\"a\":\"" + std::string(300'000, 'x') + "\"}"));
    send_line(call("ping"));
  });
  EXPECT_EQ(Json::parse(receive_line())["error"]["code"], kInvalidRequest);
  EXPECT_EQ(Json::parse(receive_line())["result"], Json::object());
  writer.join();
}

TEST_F(StdioTest, AMessageThatIsTooLargeIsRefusedOnceThoughTheInputEndsInIt) {
  options_.most_bytes = 100'000;
  start();
  std::thread writer([this] {
    const std::string half = call("ping", "{\"a\":\"" + std::string(300'000, 'x'));
    EXPECT_EQ(::write(in_[1], half.data(), half.size()), static_cast<ssize_t>(half.size()));
    end_input();
  });
  EXPECT_EQ(Json::parse(receive_line())["error"]["code"], kInvalidRequest);
  writer.join();
  thread_.join();
  ::close(out_[1]);
  out_[1] = -1;
  EXPECT_EQ(receive_line(), "");
}

TEST_F(StdioTest, ABatchIsOneLine) {
  start();
  send_line("[" + call("tools/call", R"({"name":"wait"})", "1") + "," + call("ping", "{}", "2") +
            R"(,{"jsonrpc":"2.0","method":"notifications/initialized"},7])");
  ASSERT_TRUE(wait_until([&] { return catalogue_.waiting() == 1; }));
  catalogue_.release();
  const Json answers = Json::parse(receive_line());
  ASSERT_EQ(answers.size(), 3U);
  EXPECT_EQ(answers[0]["id"], 2);
  EXPECT_EQ(answers[1]["error"]["code"], kInvalidRequest);
  EXPECT_EQ(answers[2]["id"], 1);
  send_line(R"([{"jsonrpc":"2.0","method":"notifications/initialized"}])");
  send_line(call("ping"));
  EXPECT_TRUE(receive_line().starts_with("{"));
}

TEST_F(StdioTest, TellsProgressAndGivesSignsOfLife) {
  options_.heartbeat = std::chrono::milliseconds(5);
  start();
  send_line(call("tools/call", R"({"name":"wait",)" + std::string(kMeta) + "}"));
  ASSERT_TRUE(wait_until([&] { return catalogue_.waiting() == 1; }));
  catalogue_.progress(1000, "reading");
  double last = 0;
  for (int told = 0; told < 4;) {
    const Json params = Json::parse(receive_line())["params"];
    EXPECT_EQ(params["progressToken"], 5);
    EXPECT_GT(params["progress"].get<double>(), last);
    last = params["progress"];
    if (params.value("message", "") == "reading") ++told;
  }
  catalogue_.release();
  std::string line = receive_line();
  while (line.find("progress") != std::string::npos) line = receive_line();
  EXPECT_NE(line.find("done"), std::string::npos);
}

TEST_F(StdioTest, ACancelledCallHasNoAnswer) {
  start();
  send_line(call("tools/call", R"({"name":"wait"})", "\"q\""));
  ASSERT_TRUE(wait_until([&] { return catalogue_.waiting() == 1; }));
  send_line(cancel("\"other\""));
  send_line(cancel("\"q\""));
  ASSERT_TRUE(wait_until([&] { return catalogue_.waiting() == 0; }));
  send_line(call("ping", "{}", "2"));
  EXPECT_EQ(Json::parse(receive_line())["id"], 2);
  EXPECT_EQ(catalogue_.ends(), std::vector{End::kCancelled});
}

TEST_F(StdioTest, ACallHasAnAbsoluteEnd) {
  options_.heartbeat = std::chrono::milliseconds(5);
  options_.longest = std::chrono::milliseconds(10);
  start();
  send_line(call("tools/call", R"({"name":"wait"})"));
  EXPECT_NE(receive_line().find("took longer"), std::string::npos);
}

TEST_F(StdioTest, SubscribersHearOfChanges) {
  start();
  send_line(call("subscriptions/listen",
                 R"({"notifications":{"toolsListChanged":true},)" + std::string(kMeta) + "}", "9"));
  EXPECT_NE(receive_line().find("acknowledged"), std::string::npos);
  catalogue_.changed(Change::kTools);
  EXPECT_NE(receive_line().find(R"("io.modelcontextprotocol/subscriptionId":9)"),
            std::string::npos);
}

TEST_F(StdioTest, AnswersWhatWasAskedBeforeTheInputEnded) {
  start();
  send_line(call("tools/call", R"({"name":"wait"})"));
  send_line(
      call("subscriptions/listen", R"({"notifications":{},)" + std::string(kMeta) + "}", "9"));
  ASSERT_TRUE(wait_until([&] { return catalogue_.waiting() == 1; }));
  const std::string last = call("ping", "{}", "3");  // without a line break after it
  ASSERT_GT(::write(in_[1], last.data(), last.size()), 0);
  end_input();
  EXPECT_NE(receive_line().find("acknowledged"), std::string::npos);
  EXPECT_EQ(Json::parse(receive_line())["id"], 3);
  catalogue_.release();
  EXPECT_EQ(Json::parse(receive_line())["id"], 1);
  thread_.join();
}

TEST_F(StdioTest, EndsWhenNobodyReadsAnyMore) {
  start();
  ::close(out_[0]);
  out_[0] = -1;
  send_line(call("ping"));
  thread_.join();
}

// cyanheads/mcp-ts-core#321, codefuturist/email-mcp#60, likec4/likec4#3092
TEST_F(StdioTest, AClientThatIsGoneEndsItsCalls) {
  start();
  send_line(call("tools/call", R"({"name":"wait"})"));
  ASSERT_TRUE(wait_until([&] { return catalogue_.waiting() == 1; }));
  end_input();
  ::close(out_[0]);
  out_[0] = -1;
  thread_.join();
  EXPECT_EQ(catalogue_.ends(), std::vector{End::kDisconnected});
}

TEST_F(StdioTest, AClientOverASocketThatIsGoneEndsItsCalls) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  options_.output = ends[1];
  start();
  send_line(call("tools/call", R"({"name":"wait"})"));
  ASSERT_TRUE(wait_until([&] { return catalogue_.waiting() == 1; }));
  ::close(ends[0]);
  thread_.join();
  ::close(ends[1]);
  EXPECT_EQ(catalogue_.ends(), std::vector{End::kDisconnected});
}

TEST_F(StdioTest, StopsThoughTheClientDoesNotRead) {
  start();
  // More than the output pipe holds, less than both pipes.
  const std::string large = call(
      "tools/call", R"({"name":"echo","arguments":{"a":")" + std::string(10'000, 'x') + "\"}}");
  for (int i = 0; i < 10; ++i) send_line(large);
  session_->stop();
  thread_.join();
}

}  // namespace
}  // namespace quarry::mcp::testing
