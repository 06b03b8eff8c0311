#include "testing/harness.h"

#include <mutex>
#include <vector>

namespace quarry::mcp::testing {
namespace {

using http_server::testing::fetch;
using http_server::testing::get;

// The cases of the contract in docs/mcp.md. `fields` decide the era.
struct Row {
  std::string what;
  std::string body;
  std::string fields;
  int status;
  int code;                // of a JSON-RPC error; 0 = a result; 1 = the plain body
  std::string holds = {};  // what the answer contains
};

constexpr char kLegacy[] =
    "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-06-18\r\n";
constexpr char kBatches[] =
    "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-03-26\r\n";

int code_of(const std::string& body) {
  const Json json = Json::parse(body, nullptr, false);
  if (!json.is_object()) return -1;
  if (json.contains("message") && json["error"].is_string()) return 1;
  return json.contains("error") ? json["error"]["code"].get<int>() : 0;
}

class ContractTest : public SurfaceTest {
 protected:
  void check(const std::vector<Row>& rows) {
    for (const Row& row : rows) {
      const auto answer = post(row.body, row.fields);
      EXPECT_EQ(answer.status, row.status) << row.what << "\n" << answer.body;
      EXPECT_EQ(code_of(answer.body), row.code) << row.what << "\n" << answer.body;
      EXPECT_NE(answer.body.find(row.holds), std::string::npos) << row.what << "\n" << answer.body;
    }
  }
};

TEST_F(ContractTest, OfTheInterfaceShape) {
  check({
      {"a bare call",
       call("tools/call", R"({"name":"echo","arguments":{"a":1},"project":"p"})"),
       {},
       200,
       0,
       R"("isError":false)"},
      {"any accept", call("tools/call", R"({"name":"echo"})"), "Accept: text/plain, */*\r\n", 200,
       0, R"("id":1)"},
      {"a fraction as id",
       call("tools/call", R"({"name":"echo"})", "1.50"),
       {},
       200,
       0,
       R"("id":1.50)"},
      {"a huge id",
       call("tools/call", R"({"name":"echo"})", "123456789012345678901234567890"),
       {},
       200,
       0,
       R"("id":123456789012345678901234567890,)"},
      {"not JSON", "{", {}, 400, 1, "bad_request"},
      {"no object", "[1]", {}, 200, -1, "-32600"},
      {"an empty batch", "[]", {}, 400, 1},
      {"id null", call("tools/list", "{}", "null"), {}, 400, 1, "id must be"},
      {"id missing", R"({"jsonrpc":"2.0","method":"tools/call"})", {}, 400, 1, "no id"},
      {"bad params", call("tools/call", "\"x\""), {}, 400, 1, "params"},
      {"no jsonrpc", R"({"id":1,"method":"tools/list"})", {}, 400, 1, "jsonrpc"},
      {"unknown method", call("no/such"), {}, 200, kMethodNotFound},
      {"unknown tool", call("tools/call", R"({"name":"none"})"), {}, 200, kInvalidParams, "none"},
      {"name missing", call("tools/call", "{}"), {}, 200, kInvalidParams, "params.name"},
      {"arguments no object",
       call("tools/call", R"({"name":"echo","arguments":[1]})"),
       {},
       200,
       kInvalidParams,
       "arguments"},
      {"arguments null", call("tools/call", R"({"name":"echo","arguments":null})"), {}, 200, 0},
      {"arguments of PHP", call("tools/call", R"({"name":"echo","arguments":[]})"), {}, 200, 0},
      {"arguments as text",
       call("tools/call", R"({"name":"echo","arguments":"{\"a\":\"as text\"}"})"),
       {},
       200,
       0,
       "as text"},
      {"arguments as any text",
       call("tools/call", R"({"name":"echo","arguments":"[1]"})"),
       {},
       200,
       kInvalidParams,
       "arguments"},
      // chaitin/MonkeyCode#1268
      {"params null", call("tools/list", "null"), {}, 200, 0},
  });
}

TEST_F(ContractTest, OfTheLegacyEra) {
  check({
      {"initialize", call("initialize", R"({"protocolVersion":"2025-06-18","capabilities":{}})"),
       std::string(kStream), 200, 0, R"("protocolVersion":"2025-06-18")"},
      {"initialize with an unknown version",
       call("initialize", R"({"protocolVersion":"1999"})"),
       {},
       200,
       0,
       R"("protocolVersion":"2025-11-25")"},
      {"initialize without version", call("initialize"), {}, 200, kInvalidParams},
      {"ping", call("ping"), kLegacy, 200, 0, R"("result":{})"},
      {"logging", call("logging/setLevel", R"({"level":"info"})"), kLegacy, 200, 0, "{}"},
      {"logging nonsense", call("logging/setLevel", R"({"level":"loud"})"), kLegacy, 200,
       kInvalidParams},
      {"tools/list", call("tools/list"), kLegacy, 200, 0, R"("tools":[{"name":"echo"})"},
      {"resources/list", call("resources/list"), kLegacy, 200, 0, R"("resources":[])"},
      {"templates", call("resources/templates/list"), kLegacy, 200, 0, "resourceTemplates"},
      {"prompts/list", call("prompts/list"), kLegacy, 200, 0, R"("prompts":[])"},
      {"prompts/get", call("prompts/get", R"({"name":"x"})"), kLegacy, 200, kInvalidParams},
      {"resources/read", call("resources/read", R"({"uri":"x:y"})"), kLegacy, 200, -32002, "x:y"},
      {"read without uri", call("resources/read"), kLegacy, 200, kInvalidParams},
      {"unknown method", call("server/discover"), kLegacy, 200, kMethodNotFound},
      {"not offered", call("resources/subscribe", R"({"uri":"x"})"), kLegacy, 200, kMethodNotFound},
      {"not JSON", "{", kLegacy, 400, kParseError, "at byte"},
      {"not an object", "7", kLegacy, 400, kInvalidRequest},
      {"empty batch", "[]", kLegacy, 400, kInvalidRequest},
      {"id null", call("ping", "{}", "null"), kLegacy, 400, kInvalidRequest, R"("id":null)"},
      {"fraction", call("ping", "{}", "1.5"), kLegacy, 400, kInvalidRequest, R"("id":null)"},
      {"id missing", R"({"jsonrpc":"2.0","method":"tools/list"})", kLegacy, 400, kInvalidRequest},
      {"bad params", call("ping", "1"), kLegacy, 400, kInvalidRequest},
      {"positional params", call("tools/call", "[1]"), kLegacy, 400, kInvalidRequest},
      // modelcontextprotocol/modelcontextprotocol#1943, CodeWithCJ/SparkyFitness#2162
      {"unknown version", call("ping"), "MCP-Protocol-Version: 2025-08-01\r\n", 200, 0, "{}"},
      {"first version", call("ping"), "MCP-Protocol-Version: 2024-10-07\r\n", 200, 0, "{}"},
      {"draft", call("ping"), "MCP-Protocol-Version: DRAFT-2025-v2\r\n", 200, 0, "{}"},
      {"no version", call("ping"), "MCP-Protocol-Version: 1999-01-01\r\n", 400, kInvalidRequest,
       "1999-01-01"},
      {"no date", call("ping"), "MCP-Protocol-Version: latest\r\n", 400, kInvalidRequest, "latest"},
      {"a batch where there are none", "[" + call("ping") + "]", kLegacy, 400, kInvalidRequest},
  });
}

TEST_F(ContractTest, OfTheModernEra) {
  const auto meta_less = call("tools/list");
  check({
      {"discover", modern_call("server/discover", "}"), modern_fields("server/discover"), 200, 0,
       R"("supportedVersions":["2026-07-28"])"},
      {"tools/list", modern_call("tools/list", "}"), modern_fields("tools/list"), 200, 0,
       R"("resultType":"complete","ttlMs":5000,"cacheScope":"private","_meta":)"},
      {"tools/call", modern_call("tools/call", R"("name":"echo"})"),
       modern_fields("tools/call", "echo"), 200, 0,
       R"("io.modelcontextprotocol/serverInfo":{"name":"fake")"},
      {"header mismatch", modern_call("tools/call", R"("name":"echo"})"),
       modern_fields("tools/call", "other"), 400, kHeaderMismatch},
      {"header missing", modern_call("tools/list", "}"), std::string(kStream), 400,
       kHeaderMismatch},
      {"no _meta", meta_less, modern_fields("tools/list"), 400, kInvalidParams},
      {"unknown method", modern_call("no/such", "}"), modern_fields("no/such"), 404,
       kMethodNotFound},
      {"initialize", modern_call("initialize", "}"), modern_fields("initialize"), 404,
       kMethodNotFound},
      {"ping", modern_call("ping", "}"), modern_fields("ping"), 404, kMethodNotFound},
      {"prompts, not offered", modern_call("prompts/list", "}"), modern_fields("prompts/list"), 404,
       kMethodNotFound},
      {"unknown resource", modern_call("resources/read", R"("uri":"x:y"})"),
       modern_fields("resources/read", "x:y"), 200, kInvalidParams, R"("uri":"x:y")"},
      {"listening without events", modern_call("subscriptions/listen", R"("notifications":{}})"),
       "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: subscriptions/listen\r\n", 406, 1},
      {"fraction", modern_call("tools/list", "}", "1.5"), modern_fields("tools/list"), 400,
       kInvalidRequest},
  });
}

TEST_F(ContractTest, OfBatches) {
  const auto both = post("[" + call("ping", "{}", "1") + "," + call("no/such", "{}", "\"b\"") +
                             R"(,1,{"jsonrpc":"2.0","method":"notifications/initialized"}])",
                         kBatches);
  EXPECT_EQ(both.status, 200);
  const Json answers = Json::parse(both.body);
  ASSERT_EQ(answers.size(), 3U);
  EXPECT_EQ(answers[0]["result"], Json::object());
  EXPECT_EQ(answers[1]["error"]["code"], kMethodNotFound);
  EXPECT_EQ(answers[1]["id"], "b");
  EXPECT_EQ(answers[2]["error"]["code"], kInvalidRequest);

  std::string many = "[" + call("ping");
  for (int i = 1; i < 50; ++i) many += "," + call("ping");
  EXPECT_EQ(Json::parse(post(many + "]", kBatches).body).size(), 50U);
  EXPECT_EQ(post(many + "," + call("ping") + "]", kBatches).status, 400);

  const std::string told = R"([{"jsonrpc":"2.0","method":"notifications/initialized"}])";
  EXPECT_EQ(post(told, kBatches).status, 202);
  const auto handshake =
      post("[" + call("initialize", R"({"protocolVersion":"2025-03-26"})") + "]", kBatches);
  EXPECT_EQ(Json::parse(handshake.body)[0]["error"]["code"], kInvalidRequest);
  EXPECT_EQ(post("[" + modern_call("tools/list", "}") + "]").body.find("\"result\""),
            std::string::npos);
}

TEST_F(ContractTest, OfNotifications) {
  for (const char* method : {"notifications/initialized", "notifications/cancelled",
                             "notifications/progress", "notifications/unheard-of"}) {
    const auto answer =
        post(R"({"jsonrpc":"2.0","method":")" + std::string(method) + R"("})", kLegacy);
    EXPECT_EQ(answer.status, 202);
    EXPECT_EQ(answer.body, "");
  }
  EXPECT_EQ(post(R"({"jsonrpc":"2.0","id":1,"result":{}})", kLegacy).status, 202);
}

TEST_F(ContractTest, OfHttp) {
  const std::string token = "Authorization: Bearer alice\r\n";
  const std::string body = call("ping");
  struct HttpRow {
    std::string request;
    int status;
    std::string error;
    std::string header;  // must be there
  };
  const auto post_with = [&](const std::string& fields) {
    return "POST /api/mcp HTTP/1.1\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
           fields + "\r\n" + body;
  };
  const std::string json = "Content-Type: application/json\r\n";
  for (const auto& [text, status, error, header] : std::vector<HttpRow>{
           {post_with("Host: evil.example\r\n" + token + json), 403, "forbidden", ""},
           {post_with("Host: localhost\r\nOrigin: https://evil.example\r\n" + token + json), 403,
            "forbidden", ""},
           {post_with("Host: localhost\r\n" + json), 401, "unauthorized", "WWW-Authenticate"},
           {post_with("Host: localhost\r\nAuthorization: Basic alice\r\n" + json), 401,
            "unauthorized", "WWW-Authenticate"},
           {post_with("Host: localhost\r\nAuthorization: Bearer eve\r\n" + json), 401,
            "unauthorized", "WWW-Authenticate"},
           {post_with("Host: localhost\r\nContent-Type: text/plain\r\n" + token), 415,
            "unsupported_media_type", ""},
           {post_with("Host: localhost\r\n" + token), 415, "unsupported_media_type", ""},
           {post_with("Host: localhost\r\nAccept: text/html\r\n" + token + json), 406,
            "not_acceptable", ""},
           {get("/elsewhere", token), 404, "not_found", ""},
           {get("/api/mcp", token), 405, "method_not_allowed", "Allow"},
           {"PUT /api/mcp HTTP/1.1\r\nHost: localhost\r\n\r\n", 405, "method_not_allowed", "Allow"},
           {"DELETE /api/mcp HTTP/1.1\r\nHost: localhost\r\n" + token + "\r\n", 405,
            "method_not_allowed", "Allow"},
           {"DELETE /api/mcp HTTP/1.1\r\nHost: localhost\r\nMcp-Session-Id: none\r\n" + token +
                "\r\n",
            404, "not_found", ""},
           {get("/api/mcp", token + "Mcp-Session-Id: none\r\nAccept: text/event-stream\r\n"), 404,
            "not_found", ""},
           {get("/api/mcp", token + "Mcp-Session-Id: s\r\nMCP-Protocol-Version: 2026-07-28\r\n"),
            405, "method_not_allowed", "Allow"},
           {"POST /livez HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n", 405,
            "method_not_allowed", "Allow"}}) {
    const auto answer = fetch(port(), text);
    EXPECT_EQ(answer.status, status) << text << answer.body;
    const Json said = Json::parse(answer.body, nullptr, false);
    EXPECT_EQ(find_string(said, "error"), error) << text << answer.body;
    EXPECT_FALSE(find_string(said, "message").empty());
    EXPECT_TRUE(header.empty() || !answer.header(header).empty()) << text;
  }
}

// Clients add a slash to the URL.
TEST_F(ContractTest, OfTheUrlWithASlash) {
  const auto status = [&](const char* path) {
    return fetch(port(), http_server::testing::with_json("POST", path, call("tools/list"),
                                                         "Authorization: Bearer alice\r\n"))
        .status;
  };
  EXPECT_EQ(status("/api/mcp/"), 200);
  EXPECT_EQ(status("/api/mcp//"), 404);
}

TEST_F(ContractTest, OfTokens) {
  const auto missing = fetch(port(), http_server::testing::with_json("POST", "/api/mcp", "{}"));
  EXPECT_EQ(missing.header("WWW-Authenticate"), "Bearer realm=\"quarry\"");
  access_.revoke("bob");
  const auto wrong = post(call("ping"), {}, "eve");
  const auto revoked = post(call("ping"), {}, "bob");
  EXPECT_EQ(wrong.header("WWW-Authenticate"), "Bearer realm=\"quarry\", error=\"invalid_token\"");
  EXPECT_EQ(wrong.body, revoked.body);
  EXPECT_EQ(wrong.body.find("eve"), std::string::npos);
}

TEST_F(ContractTest, OfLimits) {
  EXPECT_EQ(post(call("ping")).header("RateLimit"), "\"requests\";r=59;t=30");
  const auto refused = post(call("tools/call", R"({"name":"refuse"})"));
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.header("Retry-After"), "7");
  EXPECT_EQ(find_string(Json::parse(refused.body), "message"), "too many streams");
  access_.exhaust();
  const auto answer = post(call("ping"));
  EXPECT_EQ(answer.status, 429);
  EXPECT_EQ(answer.header("Retry-After"), "2");
  EXPECT_EQ(answer.header("RateLimit"), "\"requests\";r=0;t=30");
  EXPECT_EQ(answer.header("RateLimit-Policy"), "\"requests\";q=60;w=60");
  access_.become_unavailable();
  EXPECT_EQ(post(call("ping")).status, 503);
}

TEST_F(ContractTest, OfSizes) {
  server_options_.limits.body_bytes = 1000;
  server_options_.limits.header_bytes = 2000;
  start();
  const auto large = post(call("ping", "{\"a\":\"" + std::string(2000, 'x') + "\"}"));
  EXPECT_EQ(large.status, 413);
  EXPECT_EQ(find_string(Json::parse(large.body), "error"), "payload_too_large");
  const auto wide = post(call("ping"), "X-Large: " + std::string(3000, 'x') + "\r\n");
  EXPECT_EQ(wide.status, 431);
  EXPECT_EQ(find_string(Json::parse(wide.body), "error"), "headers_too_large");
}

TEST_F(ContractTest, OfProbes) {
  EXPECT_EQ(fetch(port(), get("/livez")).body, R"({"ok":true})");
  EXPECT_EQ(fetch(port(), get("/readyz")).status, 404);
  options_.ready = [](const SurfaceOptions::Send& send) {
    send(http_server::Response::json("{}"));
  };
  options_.show_metrics = options_.ready;
  start();
  EXPECT_EQ(fetch(port(), get("/readyz")).status, 200);
  const auto refused = fetch(port(), get("/metrics"));
  EXPECT_EQ(refused.status, 401);
  EXPECT_NE(refused.header("WWW-Authenticate"), "");
  EXPECT_EQ(fetch(port(), get("/metrics", "Authorization: Bearer alice\r\n")).status, 403)
      << "the figures of the host are no tenant's business";
  ASSERT_EQ(access_.records().size(), 3U) << "404, 401 and 403";
  EXPECT_EQ(access_.records()[1].status, 401);
  EXPECT_EQ(access_.records()[2].status, 403);
  EXPECT_EQ(access_.records()[2].principal, "alice");
  EXPECT_EQ(fetch(port(), get("/metrics", "Authorization: Bearer operator\r\n")).status, 200);
}

TEST_F(ContractTest, OfProbesInTheMetrics) {
  struct Counts {
    std::mutex mutex;
    std::vector<std::string> all;
  } counts;
  const quarry_metrics_v1 metrics{
      sizeof(quarry_metrics_v1), &counts,
      [](const quarry_metrics_v1* self, quarry_text, quarry_text labels, double) {
        auto& kept = *static_cast<Counts*>(self->context);
        const std::lock_guard lock(kept.mutex);
        kept.all.emplace_back(labels.data, labels.size);
      },
      [](const quarry_metrics_v1*, quarry_text, quarry_text, double) {}, nullptr};
  options_.metrics = &metrics;
  options_.ready = [](const SurfaceOptions::Send& send) { send(plain_error(503, "not yet")); };
  options_.show_metrics = [](const SurfaceOptions::Send& send) { send(plain_error(500, "no")); };
  start();
  const std::string operators = get("/metrics", "Authorization: Bearer operator\r\n");
  EXPECT_EQ(fetch(port(), get("/readyz")).status, 503);
  EXPECT_EQ(fetch(port(), operators).status, 500);
  EXPECT_EQ(fetch(port(), operators).status, 500);
  stop();
  surface_.reset();
  EXPECT_EQ(counts.all, (std::vector<std::string>{R"(route="/readyz",code="503")",
                                                  R"(route="/metrics",code="500")"}));
}

TEST_F(ContractTest, OfConfiguredOrigins) {
  options_.policy.allowed_origins = {"https://app.example"};
  start();
  const auto answer = post(call("ping"), "Origin: https://app.example\r\n");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.header("Access-Control-Allow-Origin"), "https://app.example");
  const auto asked = fetch(port(),
                           "OPTIONS /api/mcp HTTP/1.1\r\nHost: localhost\r\n"
                           "Origin: https://app.example\r\n\r\n");
  EXPECT_EQ(asked.status, 204);
  EXPECT_NE(asked.header("Access-Control-Allow-Headers").find("Authorization"), std::string::npos);
}

TEST_F(ContractTest, OfAListInSeveralFields) {
  const auto answer = post(call("ping"), "Accept: text/plain\r\nAccept: text/event-stream\r\n");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.header("Content-Type"), "text/event-stream");
}

TEST_F(ContractTest, OfProxies) {
  server_options_.names_peers = true;
  options_.proxies = {"10.1.2.3"};
  start();
  EXPECT_EQ(post(call("ping")).status, 200) << "this machine itself";
  EXPECT_EQ(post(call("ping"), "X-Forwarded-Proto: http\r\n").status, 200) << "not from a proxy";
  options_.proxies = {"127.0.0.1"};
  start();
  EXPECT_EQ(post(call("ping"), "X-Forwarded-Proto: https\r\n").status, 200);
  const auto clear = post(call("ping"), "X-Forwarded-Proto: http\r\n");
  EXPECT_EQ(clear.status, 403);
  EXPECT_NE(clear.body.find("https"), std::string::npos);
  for (const char* fields :
       {"X-Forwarded-Proto: https\r\nX-Forwarded-Proto: http\r\n",
        "X-Forwarded-Proto: https, http\r\n", "X-Forwarded-Proto: HTTP ,https\r\n"}) {
    EXPECT_EQ(post(call("ping"), fields).status, 403) << fields;
  }

  http_server::Request elsewhere;
  elsewhere.peer = "192.0.2.7";
  EXPECT_EQ(surface_->refuse_early(elsewhere)->status, 403) << "past the proxy";
}

TEST_F(ContractTest, OfSendersThatGuess) {
  server_options_.names_peers = true;
  start();
  EXPECT_EQ(post(call("ping"), "X-Forwarded-For: 192.0.2.7\r\n").status, 200);
  EXPECT_EQ(access_.sender(), "127.0.0.1") << "anybody may say anything";
  access_.refuse_guesses();
  const auto refused = post(call("ping"), {}, "mallory");
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.header("Retry-After"), "1");
  EXPECT_EQ(fetch(port(), get("/metrics", "Authorization: Bearer mallory\r\n")).status, 404);
  EXPECT_EQ(post(call("ping")).status, 200) << "right tokens are let in";

  options_.proxies = {"127.0.0.1"};
  start();
  EXPECT_EQ(post(call("ping"), "X-Forwarded-For: 198.51.100.9, 192.0.2.7\r\n").status, 200);
  EXPECT_EQ(access_.sender(), "192.0.2.7") << "what the proxy itself has seen";
  EXPECT_EQ(
      post(call("ping"), "X-Forwarded-For: 198.51.100.9\r\nX-Forwarded-For: 192.0.2.9\r\n").status,
      200);
  EXPECT_EQ(access_.sender(), "192.0.2.9") << "in a field of its own, as HAProxy sends it";
  for (const std::string address :
       {"192.0.2.5", "192.0.2.5:51000", "2001:db8::7", "[2001:db8::7]", "[2001:db8::7]:51000"}) {
    EXPECT_EQ(post(call("ping"), "X-Forwarded-For: " + address + "\r\n").status, 200);
    EXPECT_EQ(access_.sender(), address.find("192") == 0 ? "192.0.2.5" : "2001:db8::7") << address;
  }
  EXPECT_EQ(post(call("ping"), "X-Forwarded-For: 192.0.2.8\r\n", "nobody").status, 429);
  EXPECT_EQ(access_.records().back().peer, "192.0.2.8");
  EXPECT_EQ(post(call("ping")).status, 200);
  EXPECT_EQ(access_.sender(), "");
}

TEST_F(ContractTest, OfTheLog) {
  struct Lines {
    std::mutex mutex;
    std::vector<std::string> all;
  } lines;
  const quarry_log_v1 log{sizeof(quarry_log_v1), &lines,
                          [](const quarry_log_v1* self, std::int32_t, quarry_text line) {
                            auto& kept = *static_cast<Lines*>(self->context);
                            const std::lock_guard lock(kept.mutex);
                            kept.all.emplace_back(line.data, line.size);
                          },
                          [](const quarry_log_v1*, std::int32_t) { return 1; }};
  options_.log = &log;
  start();
  const std::string body = call("ping");
  fetch(port(),
        http_server::testing::with_json("POST", "/api/mcp?project=p", body,
                                        "Authorization: Bearer alice\r\nX-Request-Id: r-1\r\n"));
  stop();
  surface_.reset();
  ASSERT_EQ(lines.all.size(), 1U);
  EXPECT_TRUE(lines.all[0].starts_with("POST /api/mcp 200 ")) << lines.all[0];
  EXPECT_TRUE(lines.all[0].ends_with(" r-1"));
  EXPECT_EQ(lines.all[0].find("alice"), std::string::npos);
}

TEST_F(ContractTest, OfTheAudit) {
  post(call("tools/call", R"({"name":"echo","arguments":{"secret":"s"}})"),
       "X-Request-Id: r-1\r\n");
  post(modern_call("no/such", "}"), modern_fields("no/such"), "bob");
  const auto records = access_.records();
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].request, "r-1");
  EXPECT_EQ(records[0].principal, "alice");
  EXPECT_EQ(records[0].method, "tools/call");
  EXPECT_EQ(records[0].tool, "echo");
  EXPECT_EQ(records[0].status, 200);
  EXPECT_FALSE(records[0].cancelled);
  EXPECT_EQ(records[1].principal, "bob");
  EXPECT_EQ(records[1].status, 404);
}

}  // namespace
}  // namespace quarry::mcp::testing
