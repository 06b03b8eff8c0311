#include "testing/harness.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace quarry::mcp::testing {
namespace {

using http_server::testing::get;
using http_server::testing::wait_until;

const std::string kWait = R"({"name":"wait","_meta":{"progressToken":7}})";

class StreamTest : public SurfaceTest {
 protected:
  void send(Client& client, std::string_view body, std::string_view fields,
            std::string_view token = "alice") {
    client.send(request(body, fields, token));
  }
  void wait_for(std::size_t calls) {
    ASSERT_TRUE(wait_until([&] { return catalogue_.waiting() == calls; }));
  }
  /// Has the server check tokens every 10 ms. The shorter limit cuts no client that reads.
  void check_tokens_often() { server_options_.limits.write_time = std::chrono::milliseconds(40); }
  static std::string cancel(std::string_view id) {
    return R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" +
           std::string(id) + "}}";
  }
  /// Opens a session of this token.
  std::string open_session(std::string_view token = "alice") {
    return post(call("initialize", R"({"protocolVersion":"2025-11-25"})"), kStream, token)
        .header("Mcp-Session-Id");
  }
};

TEST_F(StreamTest, OpensAtOnceAndTellsProgress) {
  Client client(port());
  send(client, call("tools/call", kWait), kStream);
  const std::string head = client.receive_until("\r\n\r\n");
  EXPECT_NE(head.find("Content-Type: text/event-stream"), std::string::npos);
  EXPECT_NE(head.find("X-Accel-Buffering: no"), std::string::npos);
  wait_for(1);
  catalogue_.progress(3, "reading");
  const std::string told = client.receive_until("reading\"}}");
  EXPECT_NE(
      told.find("event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":"
                "\"notifications/progress\",\"params\":{\"progressToken\":7,\"progress\":3.0"),
      std::string::npos)
      << told;
  catalogue_.release();
  EXPECT_NE(client.receive_until("0\r\n\r\n").find(R"("id":1,"result":{"content":)"),
            std::string::npos);
}

TEST_F(StreamTest, IsOneJsonAnswerForWhoTakesNoEvents) {
  Client client(port());
  send(client, call("tools/call", kWait), "Accept: application/json\r\n");
  wait_for(1);
  catalogue_.progress(3, "reading");
  catalogue_.release();
  const auto answer = client.receive();
  EXPECT_EQ(answer.header("Content-Type"), "application/json");
  EXPECT_NE(answer.body.find("done"), std::string::npos);
  EXPECT_EQ(answer.body.find("progress"), std::string::npos);
}

TEST_F(StreamTest, ShortAnswersAreEventsForWhoTakesNothingElse) {
  const auto answer = post(call("ping"), "Accept: text/event-stream\r\n");
  EXPECT_EQ(answer.header("Content-Type"), "text/event-stream");
  EXPECT_NE(answer.body.find(R"(data: {"jsonrpc":"2.0","id":1,"result":{}})"), std::string::npos);
}

TEST_F(StreamTest, GivesSignsOfLife) {
  options_.heartbeat = std::chrono::milliseconds(5);
  start();
  Client client(port());
  send(client, call("tools/call", kWait), kStream);
  wait_for(1);
  client.receive_until(": still here\n\n");
  EXPECT_NE(client.receive_until(": still here\n\n"), "");
  catalogue_.release();
}

TEST_F(StreamTest, HasAnAbsoluteEnd) {
  options_.longest = std::chrono::milliseconds(20);
  start();
  for (const std::string& accept : {std::string(kStream), std::string()}) {
    Client client(port());
    send(client, call("tools/call", kWait), accept);
    const auto answer = client.receive();
    EXPECT_NE(answer.body.find("took longer than this server allows"), std::string::npos);
  }
  EXPECT_EQ(catalogue_.ends(), (std::vector{End::kTimeOut, End::kTimeOut}));
}

TEST_F(StreamTest, ACancelEndsTheCallOfItsOwnPrincipalOnly) {
  Client client(port());
  send(client, call("tools/call", kWait, "\"q\""), kStream);
  wait_for(1);
  EXPECT_EQ(post(cancel("\"q\""), kStream, "bob").status, 202);
  EXPECT_EQ(post(cancel("\"other\""), kStream).status, 202);
  EXPECT_EQ(post(call("ping"), kStream).status, 200);
  EXPECT_EQ(catalogue_.waiting(), 1U);
  EXPECT_EQ(post(cancel("\"q\""), kStream).status, 202);
  wait_for(0);
  // A cancelled request gets no answer.
  EXPECT_EQ(client.receive().body.find("\"result\""), std::string::npos);
  EXPECT_EQ(catalogue_.ends(), std::vector{End::kCancelled});
  EXPECT_TRUE(access_.records().back().cancelled || access_.records().size() > 1);
  EXPECT_EQ(post(cancel("\"q\""), kStream).status, 202);  // late
}

TEST_F(StreamTest, ACancelMayWriteTheIdInAnotherWay) {
  for (const auto& [id, same] : std::vector<std::pair<const char*, const char*>>{
           {"1e+05", "1e+05"},
           {"123456789012345678901234567890", "123456789012345678901234567890"},
           {R"("\u0061")", R"("a")"}}) {
    Client client(port());
    send(client, call("tools/call", kWait, id), kStream);
    wait_for(1);
    EXPECT_EQ(post(cancel(same), kStream).status, 202);
    wait_for(0);
  }
}

TEST_F(StreamTest, ACancelStaysInItsSession) {
  const std::string first = "Mcp-Session-Id: " + open_session() + "\r\n" + std::string(kStream);
  const std::string second = "Mcp-Session-Id: " + open_session() + "\r\n" + std::string(kStream);
  Client one(port()), two(port());
  send(one, call("tools/call", kWait), first);
  send(two, call("tools/call", kWait), second);
  wait_for(2);
  post(cancel("1"), kStream);
  post(cancel("1"), second);
  wait_for(1);
  EXPECT_NE(two.receive().status, 0);
  catalogue_.release();
  EXPECT_NE(one.receive().body.find("done"), std::string::npos);
}

TEST_F(StreamTest, ACancelThatCouldMeanTwoCallsMeansNone) {
  Client one(port()), two(port());
  send(one, call("tools/call", kWait), kStream);
  send(two, call("tools/call", kWait), kStream);
  wait_for(2);
  post(cancel("1"), kStream);
  post(call("ping"), kStream);
  EXPECT_EQ(catalogue_.waiting(), 2U);
  catalogue_.release();
  EXPECT_NE(one.receive().body.find("done"), std::string::npos);
}

TEST_F(StreamTest, AModernOrBareClientThatGoesHasCancelled) {
  {
    Client modern(port());
    send(modern, modern_call("tools/call", R"("name":"wait"})"),
         modern_fields("tools/call", "wait"));
    Client bare(port());
    send(bare, call("tools/call", R"({"name":"wait"})"), {});
    wait_for(2);
  }
  wait_for(0);
  EXPECT_EQ(catalogue_.ends(), (std::vector{End::kDisconnected, End::kDisconnected}));
}

TEST_F(StreamTest, ALegacyClientThatGoesHasNotCancelled) {
  {
    Client client(port());
    send(client, call("tools/call", kWait), kStream);
    wait_for(1);
    client.close();
  }
  ASSERT_TRUE(wait_until([&] { return server_->connections() == 0; }));
  EXPECT_EQ(catalogue_.waiting(), 1U);
  catalogue_.release();
  ASSERT_TRUE(wait_until([&] { return access_.records().size() == 1; }));
  EXPECT_FALSE(access_.records()[0].cancelled);
}

TEST_F(StreamTest, CallsWhoseClientsWentEndWithTheServer) {
  {
    Client client(port());
    send(client, call("tools/call", kWait), kStream);
    wait_for(1);
  }
  stop();
  EXPECT_EQ(catalogue_.ends(), std::vector{End::kDisconnected});
}

TEST_F(StreamTest, ABatchIsStreamedAnswerByAnswer) {
  Client client(port());
  send(client,
       "[" + call("ping", "{}", "1") + "," + call("tools/call", kWait, "2") + "," +
           call("ping", "{}", "3") + "]",
       kStream);
  const std::string first = client.receive_until("\"id\":3,\"result\":{}");
  EXPECT_NE(first.find("\"id\":1,\"result\":{}"), std::string::npos);
  wait_for(1);
  catalogue_.release();
  EXPECT_NE(client.receive_until("0\r\n\r\n").find("\"id\":2,\"result\""), std::string::npos);
}

TEST_F(StreamTest, SessionsBelongToTheirPrincipal) {
  const std::string session = open_session();
  const std::string field = "Mcp-Session-Id: " + session + "\r\n" + std::string(kStream);
  EXPECT_TRUE(std::ranges::all_of(session, [](char c) { return c > ' ' && c < 0x7f; }));
  EXPECT_EQ(post(call("ping"), field).status, 200);
  EXPECT_EQ(post(call("ping"), field, "bob").status, 404);
  EXPECT_EQ(post(call("ping"), kStream).status, 200);  // none is needed
  const auto end = [&](std::string_view token) {
    return http_server::testing::fetch(
               port(), "DELETE /api/mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " +
                           std::string(token) + "\r\n" + field + "\r\n")
        .status;
  };
  EXPECT_EQ(end("bob"), 404);
  EXPECT_EQ(end("alice"), 200);
  EXPECT_EQ(end("alice"), 404);
  EXPECT_EQ(post(call("ping"), field).status, 404);
}

TEST_F(StreamTest, WithoutSessionsNoneIsGivenOut) {
  options_.sessions = false;
  start();
  EXPECT_EQ(open_session(), "");
  const std::string session = "Mcp-Session-Id: of-another-life\r\n" + std::string(kStream);
  EXPECT_EQ(post(call("ping"), session).status, 200);
  const std::string fields = "Authorization: Bearer alice\r\n" + session;
  EXPECT_EQ(http_server::testing::fetch(port(), get("/api/mcp", fields)).status, 405);
  EXPECT_EQ(http_server::testing::fetch(
                port(), "DELETE /api/mcp HTTP/1.1\r\nHost: localhost\r\n" + fields + "\r\n")
                .status,
            405);
}

TEST_F(StreamTest, AGetThatTakesNoEventsIsRefused) {
  const auto answer = http_server::testing::fetch(
      port(), get("/api/mcp",
                  "Authorization: Bearer alice\r\nAccept: application/json\r\n"
                  "Mcp-Session-Id: " +
                      open_session() + "\r\n"));
  EXPECT_EQ(answer.status, 405);
  EXPECT_EQ(answer.header("Allow"), "POST");
}

TEST_F(StreamTest, TheStreamOfAGetEndsWithItsToken) {
  options_.heartbeat = std::chrono::milliseconds(5);
  check_tokens_often();
  start();
  const std::string session = open_session();
  Client client(port());
  client.send(get("/api/mcp",
                  "Authorization: Bearer alice\r\nAccept: text/event-stream\r\n"
                  "Mcp-Session-Id: " +
                      session + "\r\n"));
  EXPECT_NE(client.receive_until(": still here\n\n").find("200 OK"), std::string::npos);
  access_.revoke("alice");
  EXPECT_TRUE(client.receive_until("0\r\n\r\n").ends_with("0\r\n\r\n"));
}

TEST_F(StreamTest, ASilentStreamEndsWithItsTokenBeforeItsNextSignOfLife) {
  options_.heartbeat = std::chrono::hours(1);
  check_tokens_often();
  start();
  const std::string session = open_session();
  const std::string body = modern_call("subscriptions/listen", R"("notifications":{}})");
  Client listening(port()), subscribed(port()), other(port());
  listening.send(get("/api/mcp",
                     "Authorization: Bearer alice\r\nAccept: text/event-stream\r\n"
                     "Mcp-Session-Id: " +
                         session + "\r\n"));
  send(subscribed, body, modern_fields("subscriptions/listen"));
  send(other, body, modern_fields("subscriptions/listen"), "bob");
  for (Client* client : {&listening, &subscribed, &other}) client->receive_until(": open\n\n");
  access_.revoke("alice");
  for (Client* client : {&listening, &subscribed}) {
    EXPECT_TRUE(client->receive_until("0\r\n\r\n").ends_with("0\r\n\r\n"));
  }
  EXPECT_EQ(post(call("ping"), kStream, "bob").status, 200);
  catalogue_.changed(Change::kTools);
  EXPECT_EQ(other.receive_until("acknowledged").find("0\r\n\r\n"), std::string::npos);
}

TEST_F(StreamTest, SubscribersHearOfWhatTheyAskedFor) {
  Client tools(port()), prompts(port());
  const std::string fields = modern_fields("subscriptions/listen");
  send(tools,
       modern_call("subscriptions/listen",
                   R"("notifications":{"toolsListChanged":true,"promptsListChanged":true}})",
                   "\"t\""),
       fields);
  send(prompts,
       modern_call("subscriptions/listen", R"("notifications":{"promptsListChanged":true}})", "8"),
       fields);
  EXPECT_NE(tools.receive_until("}}}").find(
                R"("params":{"notifications":{"toolsListChanged":true},"_meta":)"
                R"({"io.modelcontextprotocol/subscriptionId":"t"}})"),
            std::string::npos);
  prompts.receive_until("}}}");
  catalogue_.changed(Change::kPrompts);
  catalogue_.changed(Change::kTools);
  EXPECT_NE(tools.receive_until("}}}").find("notifications/tools/list_changed"), std::string::npos);
  stop();
  EXPECT_EQ(prompts.receive_all().find("list_changed"), std::string::npos);
}

TEST_F(StreamTest, APrincipalHasABoundedNumberOfListeningStreams) {
  options_.most_listening = 1;
  start();
  const std::string body = modern_call("subscriptions/listen", R"("notifications":{}})");
  const std::string fields = modern_fields("subscriptions/listen");
  Client client(port());
  send(client, body, fields);
  client.receive_until("}}}");
  EXPECT_EQ(post(body, fields).status, 429);
  Client other(port());
  send(other, body, fields, "bob");
  EXPECT_NE(other.receive_until("}}}").find("acknowledged"), std::string::npos);
  client.close();
  EXPECT_TRUE(wait_until([&] {
    Client again(port());
    send(again, body, fields);
    return again.receive_until("\r\n").find("200") != std::string::npos;
  }));
}

TEST_F(StreamTest, LogLinesComeWhenAModernClientNamesALevel) {
  const auto with_level = [](std::string_view level) {
    return R"("name":"wait","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
           R"("io.modelcontextprotocol/clientCapabilities":{},)"
           R"("io.modelcontextprotocol/logLevel":")" +
           std::string(level) + "\"}}";
  };
  struct Kept final : Outlet {
    void post(std::function<void()>) override {}
    void open(Call&) override {}
    void notify(Call&, std::string_view message) override { said += message; }
    void finish(Call&, const Answer&) override {}
    std::string said;
  };
  for (const auto& [era, params, expected] : std::vector<std::tuple<Era, std::string, bool>>{
           {Era::kModern, "{" + with_level("info"), true},
           {Era::kModern, "{" + with_level("error"), false},
           {Era::kModern, "{" + with_level("nonsense"), false},
           {Era::kModern, "{}", false},
           {Era::kLegacy, "{}", true},
           {Era::kInterface, "{}", false}}) {
    const auto kept = std::make_shared<Kept>();
    auto message = parse_messages(call("tools/call", params)).all.front();
    Call(std::move(message), era, {}, {}, kept).log("warning", "l", R"("line")");
    EXPECT_EQ(!kept->said.empty(), expected) << params;
  }
}

}  // namespace
}  // namespace quarry::mcp::testing
