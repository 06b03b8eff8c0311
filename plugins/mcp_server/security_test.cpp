// The attacks of the table that reach this surface, one test a row.

#include "testing/harness.h"

#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace quarry::mcp::testing {
namespace {

using http_server::testing::fetch;
using http_server::testing::get;
using http_server::testing::wait_until;

class SecurityTest : public SurfaceTest {
 protected:
  std::string head(std::string_view more, std::size_t length) {
    return "POST /api/mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
           std::to_string(length) + "\r\n" + std::string(more) + "\r\n";
  }
  static constexpr std::string_view kToken = "Authorization: Bearer alice\r\n";
};

TEST_F(SecurityTest, PagesThatReboundAName) {
  for (const char* host :
       {"evil.example", "localhost.evil.example", "127.0.0.1.nip.io", "0x7f.1"}) {
    const auto answer =
        fetch(port(), "POST /api/mcp HTTP/1.1\r\nHost: " + std::string(host) +
                          "\r\nContent-Type: application/json\r\nContent-Length: 2\r\n" +
                          std::string(kToken) + "\r\n{}");
    EXPECT_EQ(answer.status, 403) << host;
  }
}

TEST_F(SecurityTest, PagesOfOtherOrigins) {
  for (const char* origin :
       {"https://evil.example", "null", "http://localhost.evil.example", "http://127.0.0.1:1"}) {
    const auto answer = post(call("ping"), "Origin: " + std::string(origin) + "\r\n");
    EXPECT_EQ(answer.status, 403) << origin;
    EXPECT_EQ(answer.header("Access-Control-Allow-Origin"), "");
  }
  const auto asked = fetch(port(),
                           "OPTIONS /api/mcp HTTP/1.1\r\nHost: localhost\r\n"
                           "Origin: https://evil.example\r\n\r\n");
  EXPECT_EQ(asked.status, 403);
}

TEST_F(SecurityTest, FormsThatPostTextFromAPage) {
  for (const char* type : {"text/plain", "application/x-www-form-urlencoded",
                           "multipart/form-data; boundary=x", "text/plain; application/json"}) {
    const std::string body = call("ping");
    const auto answer = fetch(
        port(),
        head("Content-Type: " + std::string(type) + "\r\n" + std::string(kToken), body.size()) +
            body);
    EXPECT_EQ(answer.status, 415) << type;
  }
}

TEST_F(SecurityTest, TokensInOtherPlacesThanTheHeader) {
  const std::string body = call("ping");
  const std::string fields = "Content-Length: " + std::to_string(body.size()) +
                             "\r\nContent-Type: application/json\r\nHost: localhost\r\n";
  for (const std::string& start : {std::string("POST /api/mcp?token=alice HTTP/1.1\r\n"),
                                   std::string("POST /api/mcp?access_token=alice HTTP/1.1\r\n"),
                                   std::string("POST /api/mcp HTTP/1.1\r\nCookie: token=alice\r\n"),
                                   std::string("POST /api/mcp HTTP/1.1\r\nX-Api-Key: alice\r\n")}) {
    EXPECT_EQ(fetch(port(), start + fields + "\r\n" + body).status, 401) << start;
  }
}

TEST_F(SecurityTest, TokensAreNeverRepeated) {
  access_.revoke("alice");
  const auto answer = post(call("ping"));
  EXPECT_EQ(answer.status, 401);
  EXPECT_EQ((answer.head + answer.body).find("alice"), std::string::npos);
}

TEST_F(SecurityTest, JsonThatTwoReadersCouldReadDifferently) {
  const std::string start = R"({"jsonrpc":"2.0","id":1,"method":"ping","params":)";
  for (const std::string& body :
       {R"({"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"})" + std::string(),
        start + R"({"a":1,"a":2}})", start + "{\"a\":\"\xff\"}}", start + R"({"a":1e999}})",
        start + std::string("{\"a\":\"\0\"}}", 10), start + "{}}trailing",
        std::string("\xff\xfe{\0}\0", 6)}) {
    const auto answer = post(body, kStream);
    EXPECT_EQ(answer.status, 400) << body;
    EXPECT_EQ(Json::parse(answer.body)["error"]["code"], kParseError) << answer.body;
  }
}

TEST_F(SecurityTest, JsonThatIsDeepOrLarge) {
  const std::string deep(200'000, '[');
  EXPECT_EQ(post(deep).status, 400);
  EXPECT_EQ(post(call("ping", "{\"a\":" + deep + std::string(200'000, ']') + "}")).status, 400);
  std::string wide = "{\"a\":[0";
  for (int i = 0; i < 200'000; ++i) wide += ",0";
  EXPECT_EQ(post(call("ping", wide + "]}")).status, 200) << "wide is no harm below the limit";
  EXPECT_EQ(post(call("ping", "{\"a\":\"" + std::string(2'000'000, 'x') + "\"}")).status, 413);
}

TEST_F(SecurityTest, TwoHundredSlowSocketsWhileCallsGoOn) {
  server_options_.limits.header_time = std::chrono::milliseconds(300);
  server_options_.limits.body_time = std::chrono::milliseconds(300);
  start();
  std::vector<std::unique_ptr<Client>> slow;
  for (int i = 0; i < 200; ++i) {
    slow.push_back(std::make_unique<Client>(port()));
    const bool in_body = i % 2 == 0;
    slow.back()->send(
        in_body ? head("Content-Type: application/json\r\n" + std::string(kToken), 50) + "{\"json"
                : std::string("POST /api/mcp HTTP/1.1\r\nHost: loc"));
  }
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 50; ++i) EXPECT_EQ(post(call("ping")).status, 200);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  for (const auto& client : slow) EXPECT_EQ(client->receive().status, 408);
}

TEST_F(SecurityTest, AnothersSessionStreamAndCancel) {
  const std::string session =
      post(call("initialize", R"({"protocolVersion":"2025-11-25"})"), kStream)
          .header("Mcp-Session-Id");
  const std::string fields = "Mcp-Session-Id: " + session + "\r\n" + std::string(kStream);
  EXPECT_EQ(post(call("tools/list"), fields, "bob").status, 404);
  EXPECT_EQ(fetch(port(), get("/api/mcp", "Authorization: Bearer bob\r\n" + fields)).status, 404);
  EXPECT_EQ(fetch(port(),
                  "DELETE /api/mcp HTTP/1.1\r\nHost: localhost\r\n"
                  "Authorization: Bearer bob\r\n" +
                      fields + "\r\n")
                .status,
            404);
  Client client(port());
  client.send(request(call("tools/call", R"({"name":"wait"})", "\"secret-id\""), fields));
  ASSERT_TRUE(wait_until([&] { return catalogue_.waiting() == 1; }));
  const std::string cancel =
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"secret-id"}})";
  for (const std::string& with : {std::string(kStream), fields}) post(cancel, with, "bob");
  EXPECT_EQ(post(call("ping"), fields).status, 200);
  EXPECT_EQ(catalogue_.waiting(), 1U);
  catalogue_.release();
  EXPECT_NE(client.receive().body.find("done"), std::string::npos);
}

TEST_F(SecurityTest, PrincipalsWhoseNamesRunTogether) {
  // "alice" + "1" must not be "alice1": a principal and an id never share a key.
  Client client(port());
  client.send(request(call("tools/call", R"({"name":"wait"})", "\"\\nbob\\n1\""), kStream));
  ASSERT_TRUE(wait_until([&] { return catalogue_.waiting() == 1; }));
  post(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})", kStream,
       "bob");
  EXPECT_EQ(post(call("ping")).status, 200);
  EXPECT_EQ(catalogue_.waiting(), 1U);
  catalogue_.release();
  EXPECT_EQ(client.receive().status, 200);
}

TEST_F(SecurityTest, TokensRevokedInTheMiddle) {
  EXPECT_EQ(post(call("ping"), {}, "bob").status, 200);
  access_.revoke("bob");
  EXPECT_EQ(post(call("ping"), {}, "bob").status, 401);
  EXPECT_EQ(post(call("ping"), {}, "alice").status, 200);
}

TEST_F(SecurityTest, AStoreThatIsAwayLetsNobodyIn) {
  access_.go_away();
  const auto answer = post(call("tools/list"));
  EXPECT_EQ(answer.status, 503);
  EXPECT_NE(answer.header("Retry-After"), "");
  EXPECT_TRUE(access_.records().empty());
}

TEST_F(SecurityTest, PipelinedRequestsAreEachAdmitted) {
  Client client(port());
  client.send(request(call("ping", "{}", "1")) + request(call("ping", "{}", "2"), {}, "eve") +
              request(call("ping", "{}", "3")));
  EXPECT_NE(client.receive().body.find("\"id\":1"), std::string::npos);
  EXPECT_EQ(client.receive().status, 401);
  EXPECT_NE(client.receive().body.find("\"id\":3"), std::string::npos);
}

TEST_F(SecurityTest, TwoWaysToSayHowLongABodyIs) {
  const std::string body = call("ping");
  EXPECT_EQ(fetch(port(), head("Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n" +
                                   std::string(kToken),
                               body.size()) +
                              body)
                .status,
            400);
}

TEST_F(SecurityTest, HeadersOfAnswersCannotBeInjected) {
  const auto answer =
      post(call("ping"), "X-Request-Id: a\tb\r\nX-Project: p%0d%0aSet-Cookie: x\r\n");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.head.find("Set-Cookie"), std::string::npos);
  EXPECT_NE(answer.header("X-Request-Id"), "a\tb");
}

}  // namespace
}  // namespace quarry::mcp::testing
