// The attacks listed in docs/security.md that reach this server, one test each.

#include "http_server/testing/flood.h"
#include "http_server/testing/tls_client.h"
#include "testing/harness.h"

#include <algorithm>
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
  static constexpr std::size_t kMostSent = 24 * 1024 * 1024;  // more than kernels buffer
  template <class AnyClient>
  std::size_t flood(AnyClient& client, AnyClient& other, std::string_view token) {
    const std::string one = token == "alice"
                                ? request(call("ping"), {}, token)
                                : get("/api/mcp", "Mcp-Session-Id: s\r\nAuthorization: Bearer " +
                                                      std::string(token) + "\r\n");
    return http_server::testing::send_until_stuck(client, one, kMostSent, [&] {
      other.send(get("/livez"));
      other.receive_until(R"({"ok":true})");
    });
  }
  /// Sockets that stop sending within a header, or within a body.
  std::vector<std::unique_ptr<Client>> slow_sockets() {
    std::vector<std::unique_ptr<Client>> slow;
    for (int i = 0; i < 200; ++i) {
      slow.push_back(std::make_unique<Client>(port()));
      const bool in_body = i % 2 == 0;
      slow.back()->send(
          in_body ? head("Content-Type: application/json\r\n" + std::string(kToken), 50) + "{\"json"
                  : std::string("POST /api/mcp HTTP/1.1\r\nHost: loc"));
    }
    return slow;
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

TEST_F(SecurityTest, ArgumentsAsTextThatIsDeepOrSaysAKeyTwice) {
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
  for (const std::string& text :
       {"{\\\"a\\\":" + deep + "}", std::string(R"({\"a\":1,\"a\":2})")}) {
    for (const std::string& given : {"\"" + text + "\"", "[\"" + text + "\"]"}) {
      const auto answer = post(call("tools/call", R"({"name":"echo","arguments":)" + given + "}"));
      EXPECT_EQ(answer.status, 200);
      EXPECT_EQ(Json::parse(answer.body)["error"]["code"], kInvalidParams);
    }
  }
}

TEST_F(SecurityTest, TwoHundredSlowSocketsWhileCallsGoOn) {
  const auto waiting = slow_sockets();
  for (int i = 0; i < 50; ++i) EXPECT_EQ(post(call("ping")).status, 200);
  server_options_.limits.header_time = std::chrono::milliseconds(100);
  server_options_.limits.body_time = std::chrono::milliseconds(100);
  start();
  const auto slow = slow_sockets();
  EXPECT_EQ(post(call("ping")).status, 200);
  for (const auto& client : slow) EXPECT_EQ(client->receive().status, 408);
}

TEST_F(SecurityTest, ClientsThatPipelineAndNeverRead) {
  server_.reset();
  http_server::testing::QueueWatch watch(*surface_);
  server_ =
      std::make_unique<http_server::Server>(threads_.table(), nullptr, watch, server_options_);
  ASSERT_EQ(server_->start(), "");
  for (const char* token : {"alice", "eve", ""}) {
    Client client(port()), other(port());
    client.shrink_receive_buffer();
    EXPECT_LT(flood(client, other, token), kMostSent) << token;
  }
  stop();
  EXPECT_LE(watch.most_unsent, http_server::kMostUnsent);
  EXPECT_GT(watch.most_unsent, 0U);
}

TEST_F(SecurityTest, ClientsThatPipelineAndNeverReadWithTls) {
  http_server::testing::TemporaryIdentity files;
  server_.reset();
  http_server::testing::QueueWatch watch(*surface_);
  server_options_.tls = *http_server::TlsIdentity::load(files.files());
  server_ =
      std::make_unique<http_server::Server>(threads_.table(), nullptr, watch, server_options_);
  ASSERT_EQ(server_->start(), "");
  for (const char* token : {"alice", "eve", ""}) {
    http_server::testing::TlsClient client(port()), other(port());
    EXPECT_LT(flood(client, other, token), kMostSent) << token;
  }
  stop();
  EXPECT_LE(watch.most_unsent, http_server::kMostUnsent);
  EXPECT_GT(watch.most_unsent, 0U);
}

TEST_F(SecurityTest, BodiesOfRefusedClients) {
  for (const char* token : {"eve", "alice"}) {
    if (std::string_view(token) == "alice") access_.exhaust();
    Client client(port());
    client.send(
        "POST /api/mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Content-Length: 1000000\r\nAuthorization: Bearer " +
        std::string(token) + "\r\n\r\n");
    const auto answer = client.receive();
    EXPECT_EQ(answer.status, std::string_view(token) == "eve" ? 401 : 429);
    EXPECT_EQ(answer.header("Connection"), "close");
  }
}

TEST_F(SecurityTest, BodiesThatComeWhileTheTokenIsLookedUp) {
  access_.hold_answers();
  std::vector<std::unique_ptr<Client>> clients;
  constexpr std::size_t kClients = 20;
  Client other(port());
  for (std::size_t i = 0; i < kClients; ++i) {
    clients.push_back(std::make_unique<Client>(port()));
    clients.back()->send(head("Content-Type: application/json\r\n" + std::string(kToken), 900'000));
    const std::string once(900'000, ' ');
    http_server::testing::send_until_stuck(*clients.back(), once, once.size(), [&] {
      other.send(get("/livez"));
      EXPECT_EQ(other.receive().status, 200);
    });
  }
  access_.release_answers();
  for (const auto& client : clients) client->close();
  EXPECT_EQ(post(call("ping")).status, 200);
}

TEST_F(SecurityTest, EachMessageOfABatchCounts) {
  const auto batch = [](int size) {
    std::string all = "[";
    for (int i = 0; i < size; ++i) {
      all += (i == 0 ? "" : ",") + call("ping", "{}", std::to_string(i));
    }
    return all + "]";
  };
  EXPECT_EQ(post(batch(50)).status, 200);
  EXPECT_EQ(access_.counted(), 50);
  EXPECT_EQ(post(batch(51)).status, 400);
  EXPECT_EQ(access_.counted(), 51);
  access_.allow(10);
  const auto refused = post(batch(11));
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.header("Retry-After"), "2");
  EXPECT_EQ(std::ranges::count(access_.records(), 200, &Record::status), 50) << "none of it ran";
}

TEST_F(SecurityTest, BatchesThatAreHugeOrNested) {
  std::string huge = "[0";
  for (int i = 0; i < 300'000; ++i) huge += ",0";
  const auto answer = post(huge + "]");
  EXPECT_EQ(answer.status, 400);
  EXPECT_LT(answer.body.size(), 1000U);
  const auto nested = post("[[" + call("ping") + "," + call("ping") + "]]");
  EXPECT_EQ(nested.status, 200);
  EXPECT_NE(nested.body.find("-32600"), std::string::npos) << "a batch is no message";
}

TEST_F(SecurityTest, RequestsThatLeadToNoCallAreInTheAuditOnce) {
  const auto audited = [this](const std::string& bytes) {
    const std::size_t before = access_.records().size();
    fetch(port(), bytes);
    EXPECT_EQ(access_.records().size(), before + 1) << bytes;
    return access_.records().back();
  };
  server_options_.names_peers = true;
  start();
  Record record = audited(request("not json"));
  EXPECT_EQ(record.status, 400);
  EXPECT_EQ(record.principal, "alice");
  record = audited(request(call("ping"), "X-Request-Id: r-1\r\n", "eve"));
  EXPECT_EQ(record.status, 401);
  EXPECT_EQ(record.request, "r-1");
  EXPECT_EQ(record.principal, "");
  EXPECT_EQ(record.peer, "127.0.0.1");
  EXPECT_EQ(
      audited(request(R"({"jsonrpc":"2.0","method":"notifications/initialized"})", kStream)).status,
      202);
  EXPECT_EQ(audited(request(call("ping"), "Origin: https://evil.example\r\n")).status, 403);
  EXPECT_EQ(audited("GET / HTTP/1.1\r\n\r\n").status, 400);
  EXPECT_EQ(audited(get("/elsewhere")).status, 404);
  EXPECT_EQ(audited(get("/api/mcp")).status, 405);
  EXPECT_EQ(audited(request("[" + call("ping") + "]")).method, "ping");
  access_.exhaust();
  record = audited(request(call("ping")));
  EXPECT_EQ(record.status, 429);
  EXPECT_EQ(record.principal, "alice");
  for (const Record& one : access_.records()) EXPECT_EQ(one.count, 1U);
}

TEST_F(SecurityTest, AFloodOfWrongTokensIsFewLinesOfTheAudit) {
  for (int i = 0; i < 500; ++i) post(call("ping"), {}, "eve" + std::to_string(i));
  EXPECT_EQ(access_.records().size(), 1U);
  stop();
  ASSERT_EQ(access_.records().size(), 2U);
  EXPECT_EQ(access_.records()[1].count, 499U);
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
  access_.become_unavailable();
  const auto answer = post(call("tools/list"));
  EXPECT_EQ(answer.status, 503);
  EXPECT_NE(answer.header("Retry-After"), "");
  ASSERT_EQ(access_.records().size(), 1U);
  EXPECT_EQ(access_.records()[0].status, 503);
  EXPECT_EQ(access_.records()[0].principal, "");
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
