#include "http_server/testing/flood.h"
#include "page.h"
#include "testing/harness.h"

#include <nlohmann/json.hpp>

namespace quarry::rest::testing {
namespace {

/// Params of a call without the id of its request, which the server makes.
std::string without_id(const std::string& params) {
  const auto at = params.find(",\"request\":");
  return at == std::string::npos ? params : params.substr(0, at) + "}";
}

using http_server::testing::get;
using http_server::testing::with_json;
using nlohmann::json;

TEST_F(SurfaceTest, AnswersProbesAndSaysWhoItIsWithoutTheEngine) {
  EXPECT_EQ(fetch(get("/livez")).body, R"({"ok":true})");
  EXPECT_EQ(fetch(get("/")).body, R"({"ok":true,"service":"quarry","version":"1.2.3"})");
  EXPECT_TRUE(engine_.calls().empty());
}

TEST_F(SurfaceTest, QueuesAnswersThatNobodyReadsToABoundOnly) {
  options_.token = "secret";
  start();
  http_server::testing::QueueWatch watch(*surface_);
  http_server::Server server(threads_.table(), nullptr, watch, server_options_);
  ASSERT_EQ(server.start(), "");
  const std::uint16_t port = server.addresses().front().port;
  constexpr std::size_t kMost = 24 * 1024 * 1024;
  for (const char* token : {"secret", "wrong"}) {
    Client client(port), other(port);
    client.shrink_receive_buffer();
    const std::string request = get("/", "Authorization: Bearer " + std::string(token) + "\r\n");
    EXPECT_LT(http_server::testing::send_until_stuck(client, request, kMost,
                                                     [&] {
                                                       other.send(get("/livez"));
                                                       EXPECT_EQ(other.receive().status, 200);
                                                     }),
              kMost)
        << token;
  }
  EXPECT_LE(watch.most_unsent, http_server::kMostUnsent);
  EXPECT_GT(watch.most_unsent, 0U);
}

TEST_F(SurfaceTest, PassesValuesThroughAsTheEngineWroteThem) {
  for (const auto& [path, method] :
       std::vector<std::pair<const char*, const char*>>{{"/resources", "resources.list"},
                                                        {"/config", "config.show"},
                                                        {"/providers", "models.list"},
                                                        {"/threads", "threads.list"},
                                                        {"/usage", "usage.report"}}) {
    engine_.answer(method, R"({"as": "it is"})");
    const auto answer = fetch(get(path));
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, R"({"as": "it is"})");
    EXPECT_EQ(answer.header("Content-Type"), "application/json");
    EXPECT_EQ(engine_.calls().back(), (std::pair<std::string, std::string>(method, "{}")));
  }
}

TEST_F(SurfaceTest, HandsBodiesOverAsTheyCame) {
  for (const auto& [verb, path, method] :
       std::vector<std::tuple<const char*, const char*, const char*>>{
           {"POST", "/config/resources", "resources.add"},
           {"POST", "/recognise", "resources.recognise"},
           {"DELETE", "/config/resources", "resources.remove"},
           {"PUT", "/config/model", "models.select"}}) {
    engine_.answer(method, "{}");
    EXPECT_EQ(fetch(with_json(verb, path, R"({ "odd" : spacing)")).status, 200);
    EXPECT_EQ(engine_.calls().back(),
              (std::pair<std::string, std::string>(method, R"({ "odd" : spacing)")));
  }
}

// The engine refuses half a surrogate pair, which programs write that cut a text in UTF-16.
TEST_F(SurfaceTest, HandsHalfASurrogatePairOverAsReplacement) {
  engine_.answer("resources.recognise", "{}");
  fetch(with_json("POST", "/recognise", R"({"a":"\ud83d \ud83d\udcc5"})"));
  EXPECT_EQ(engine_.calls().back().second, R"({"a":"\ufffd \ud83d\udcc5"})");
}

TEST_F(SurfaceTest, PassesTheTraceAndTheIdOfWorkThatTakesTime) {
  const std::string trace =
      "Traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\n";
  const auto with_trace = [&](const char* path, const std::string& more = {}) {
    return with_json("POST", path, R"({"a":"b"})", "X-Request-Id: r-\"1\r\n" + trace + more);
  };
  for (const auto& [path, method] :
       std::vector<std::pair<const char*, const char*>>{{"/question", "question.ask"},
                                                        {"/tools/grep", "tools.grep"},
                                                        {"/sync", "resources.sync"}}) {
    engine_.answer(method, "{}");
    fetch(with_trace(path));
    EXPECT_EQ(engine_.calls().back().second,
              R"({"a":"b","traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",)"
              R"("request":"r-\"1"})");
    fetch(with_trace(path, trace));  // given twice
    EXPECT_EQ(engine_.calls().back().second, R"({"a":"b","request":"r-\"1"})");
  }
  engine_.answer("resources.add", "{}");
  fetch(with_trace("/config/resources"));
  EXPECT_EQ(engine_.calls().back().second, R"({"a":"b"})");
}

/// The engine says what is wrong with the rest.
TEST_F(SurfaceTest, AddsTheIdToWhateverLooksLikeAnObject) {
  engine_.answer("question.ask", "{}");
  const std::string deep = R"({"a":)" + std::string(100'000, '[') + std::string(100'000, ']');
  for (const auto& [given, passed] : std::vector<std::pair<std::string, std::string>>{
           {"{}", R"({"request":"r"})"},
           {" { } \n", R"( { "request":"r"})"},
           {R"({"a" : odd})", R"({"a" : odd,"request":"r"})"},
           {"[]", "[]"},
           {"{", "{"},
           {deep + "}", deep + R"(,"request":"r"})"}}) {
    fetch(with_json("POST", "/question", given, "X-Request-Id: r\r\n"));
    EXPECT_EQ(engine_.calls().back().second, passed);
  }
}

TEST_F(SurfaceTest, PutsNamesOfPathsIntoParameters) {
  engine_.answer("resources.remove", "{}");
  engine_.answer("question.stop", "{}");
  fetch("DELETE /config/resources/%40a/b%22c HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(engine_.calls().back().second, R"({"name":"@a/b\"c"})");
  engine_.answer("threads.show", "{}");
  engine_.answer("threads.remove", "{}");
  fetch(get("/threads/a.b-1"));
  EXPECT_EQ(engine_.calls().back(),
            (std::pair<std::string, std::string>("threads.show", R"({"id":"a.b-1"})")));
  fetch("DELETE /threads/a HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(engine_.calls().back(),
            (std::pair<std::string, std::string>("threads.remove", R"({"id":"a"})")));
  fetch("POST /question/q-1/stop HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(engine_.calls().back().second, R"({"id":"q-1"})");
}

TEST_F(SurfaceTest, PassesNumbersAsNumbers) {
  engine_.answer("question.source", "{}");
  engine_.answer("resources.file", "{}");
  fetch(get("/question/q-1/sources/3"));
  EXPECT_EQ(engine_.calls().back(),
            (std::pair<std::string, std::string>("question.source", R"({"id":"q-1","number":3})")));
  fetch(get("/question/q-1/sources/3x"));
  EXPECT_EQ(engine_.calls().back().second, R"({"id":"q-1","number":"3x"})");
  fetch(get("/resources/@a/b/files/c/d.h?startLine=2&endLine=10"));
  EXPECT_EQ(without_id(engine_.calls().back().second),
            R"({"endLine":10,"name":"@a/b","path":"c/d.h","startLine":2})");
}

TEST_F(SurfaceTest, SendsThePageWithAStrictPolicyAndWithoutAToken) {
  if (page_files().empty()) GTEST_SKIP() << "this build has no page";
  options_.token = "secret";
  start();
  for (const auto& [path, type] : std::vector<std::pair<const char*, const char*>>{
           {"/ui/", "text/html; charset=utf-8"},
           {"/ui/index.html", "text/html; charset=utf-8"},
           {"/ui/page.css", "text/css; charset=utf-8"},
           {"/ui/page.js", "text/javascript; charset=utf-8"}}) {
    const auto answer = fetch(get(path, "Accept-Encoding: br, gzip\r\n"));
    EXPECT_EQ(answer.status, 200) << path;
    EXPECT_EQ(answer.header("Content-Type"), type);
    EXPECT_EQ(answer.header("Content-Encoding"), "gzip");
    EXPECT_EQ(answer.header("X-Content-Type-Options"), "nosniff");
    EXPECT_TRUE(answer.header("Content-Security-Policy").starts_with("default-src 'none'; "));
    EXPECT_EQ(answer.header("Content-Security-Policy").find("unsafe"), std::string::npos);
    const std::string tag(answer.header("ETag"));
    EXPECT_EQ(fetch(get(path, "If-None-Match: " + tag + "\r\n")).status, 304);
    EXPECT_EQ(fetch(get(path, "If-None-Match: \"other\"\r\n")).status, 200);
    EXPECT_EQ(fetch(get(path, "Accept-Encoding: br\r\n")).status, 406);
  }
  EXPECT_EQ(fetch(get("/ui/nothing.js")).status, 404);
  EXPECT_EQ(fetch(get("/ui/../config")).status, 404);
  EXPECT_TRUE(engine_.calls().empty());
}

TEST_F(SurfaceTest, LeadsBrowsersToThePageAndNobodyElse) {
  if (page_files().empty()) GTEST_SKIP() << "this build has no page";
  options_.token = "secret";
  start();
  const std::string html = "Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\n";
  for (const auto& request : {get("/", html), get("/ui")}) {
    const auto answer = fetch(request);
    EXPECT_EQ(answer.status, 303);
    EXPECT_EQ(answer.header("Location"), "/ui/");
  }
  EXPECT_EQ(fetch(get("/")).status, 401);
  EXPECT_EQ(fetch(get("/", "Accept: application/json\r\n")).status, 401);
  EXPECT_EQ(fetch(get("/resources", html)).status, 401);
  EXPECT_EQ(fetch(get("/ui/", "Origin: https://evil.example\r\n")).status, 403);
  EXPECT_EQ(fetch("GET /ui/ HTTP/1.1\r\nHost: rebound.example\r\n\r\n").status, 403);
}

TEST_F(SurfaceTest, PutsKnownParametersOfTheQueryIntoThoseOfTheCall) {
  engine_.answer("usage.report", "{}");
  fetch(get("/usage?by=day&x=1&since=7%64"));
  EXPECT_EQ(engine_.calls().back().second, R"({"by":"day","since":"7d"})");
  fetch(get("/usage?since=&by=%zz"));
  EXPECT_EQ(engine_.calls().back().second, R"({"by":"%zz"})");
}

TEST_F(SurfaceTest, CallsWithoutBodyNeedNone) {
  engine_.answer("config.reload", "{}");
  engine_.answer("plugins.reload", "{}");
  engine_.answer("cache.clear", R"({"cleared":2})");
  engine_.answer("resources.sync", R"({"resources":[]})");
  for (const char* path : {"/reload-config", "/plugins/reload", "/clear", "/sync"}) {
    EXPECT_EQ(fetch("POST " + std::string(path) + " HTTP/1.1\r\nHost: localhost\r\n\r\n").status,
              200);
    EXPECT_EQ(fetch(with_json("POST", path, "{}")).status, 200);
  }
}

TEST_F(SurfaceTest, OneResourceIsSyncedOrClearedByItsName) {
  engine_.answer("cache.clear", "{}");
  engine_.answer("resources.sync", "{}");
  for (const auto& [path, method] : std::vector<std::pair<const char*, const char*>>{
           {"/clear", "cache.clear"}, {"/sync", "resources.sync"}}) {
    fetch(with_json("POST", path, R"({"name":"docs"})"));
    EXPECT_EQ(engine_.calls().back().first, method);
    EXPECT_EQ(without_id(engine_.calls().back().second), R"({"name":"docs"})");
  }
}

TEST_F(SurfaceTest, ASyncIsGivenUpWhenItsClientGoes) {
  engine_.hold("resources.sync");
  Client client(port());
  client.send("POST /sync HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
  ASSERT_TRUE(
      http_server::testing::wait_until([&] { return engine_.count("resources.sync") == 1; }));
  client.close();
  EXPECT_TRUE(http_server::testing::wait_until([&] { return engine_.cancelled() == 1; }));
}

TEST_F(SurfaceTest, FailuresKeepTheirTagHintAndStatus) {
  engine_.fail("resources.list", QUARRY_RESOURCE_EXHAUSTED, "too many", "wait",
               R"({"tag":"RateLimitError"})");
  const auto answer = fetch(get("/resources"));
  EXPECT_EQ(answer.status, 429);
  EXPECT_EQ(json::parse(answer.body), (json{{"error", "too many"},
                                            {"hint", "wait"},
                                            {"tag", "RateLimitError"},
                                            {"code", "resource_exhausted"}}));
}

TEST_F(SurfaceTest, IsReadyWhenTheEngineSaysSo) {
  engine_.answer("health", R"({"ok":true,"ready":true})");
  EXPECT_EQ(fetch(get("/readyz")).status, 200);
  engine_.answer("health", R"({"ok":true,"ready":false,"problems":["no model"]})");
  const auto answer = fetch(get("/readyz"));
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(json::parse(answer.body)["problems"], json::array({"no model"}));
  EXPECT_EQ(json::parse(answer.body)["tag"], "Unavailable");
  engine_.fail("health", QUARRY_INTERNAL, "no");
  EXPECT_EQ(fetch(get("/readyz")).status, 500);
}

TEST_F(SurfaceTest, ShowsMetricsAsText) {
  engine_.answer("metrics", R"({"text":"quarry_questions 1\n"})");
  const auto answer = fetch(get("/metrics"));
  EXPECT_EQ(answer.body, "quarry_questions 1\n");
  EXPECT_TRUE(answer.header("Content-Type").starts_with("text/plain"));
}

TEST_F(SurfaceTest, DescribesEveryRouteWithTheEnginesSchemas) {
  engine_.answer("schemas", R"({"resource":{"oneOf":[1]},"question":{"type":"object"}})");
  const json document = json::parse(fetch(get("/openapi.json")).body);
  EXPECT_EQ(document["openapi"], "3.1.0");
  EXPECT_EQ(document["info"]["version"], "2.0.0");
  for (const Route& route : routes()) {
    std::string method(route.method);
    std::ranges::transform(method, method.begin(), ::tolower);
    EXPECT_TRUE(document["paths"][std::string(route.path)].contains(method)) << route.path;
  }
  EXPECT_EQ(document["paths"]["/usage"]["get"]["parameters"][0]["name"], "since");
  EXPECT_EQ(document["components"]["schemas"]["resource"], json::parse(R"({"oneOf":[1]})"));
  EXPECT_EQ(document["paths"]["/question/stream"]["post"]["requestBody"]["content"]
                    ["application/json"]["schema"]["$ref"],
            "#/components/schemas/question");
}

TEST_F(SurfaceTest, DescribesBodiesAndValuesByTheRowsOfTheEngine) {
  engine_.answer("schemas", "{}");
  engine_.answer("methods", R"({"methods":{
      "cache.clear":{"params":{"title":"one"},"result":{"title":"cleared"}},
      "resources.list":{"result":{"type":"object"}},
      "config.show":{"result":{"title":"shown"}}}})");
  const json paths = json::parse(fetch(get("/openapi.json")).body)["paths"];
  const auto schema = [](const json& part) {
    return part["content"]["application/json"]["schema"];
  };
  EXPECT_EQ(schema(paths["/clear"]["post"]["requestBody"])["title"], "one");
  EXPECT_EQ(schema(paths["/clear"]["post"]["responses"]["200"])["title"], "cleared");
  EXPECT_EQ(schema(paths["/config"]["get"]["responses"]["200"])["title"], "shown");
  EXPECT_FALSE(paths["/config"]["get"].contains("requestBody"));
  const json resource{{"$ref", "#/components/schemas/resource"}};
  EXPECT_EQ(schema(paths["/config/resources"]["post"]["requestBody"]), resource);
  EXPECT_EQ(
      schema(paths["/resources"]["get"]["responses"]["200"])["properties"]["resources"]["items"],
      resource);
  // Of a method that is not described.
  EXPECT_EQ(schema(paths["/sync"]["post"]["requestBody"]), json({{"type", "object"}}));
}

TEST_F(SurfaceTest, ReportsThatThereIsNoDescription) {
  engine_.fail("schemas", QUARRY_UNAVAILABLE, "not now", {}, "{}");
  EXPECT_NE(fetch(get("/openapi.json")).status, 200);
}

TEST_F(SurfaceTest, RefusesNamesThatMayHaveBeenRebound) {
  for (const char* host : {"evil.example", "evil.example:8080", "localhost.evil.example"}) {
    const auto answer = fetch("GET /resources HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n");
    EXPECT_EQ(answer.status, 403) << host;
    EXPECT_EQ(json::parse(answer.body)["tag"], "Forbidden");
  }
  EXPECT_EQ(fetch("GET http://evil.example/livez HTTP/1.1\r\nHost: localhost\r\n\r\n").status, 403);
  EXPECT_TRUE(engine_.calls().empty());
}

TEST_F(SurfaceTest, RefusesPagesOfOtherOrigins) {
  for (const char* origin : {"https://evil.example", "null", "http://localhost:3000"}) {
    const auto answer = fetch(
        with_json("POST", "/config/resources", "{}", "Origin: " + std::string(origin) + "\r\n"));
    EXPECT_EQ(answer.status, 403) << origin;
    EXPECT_EQ(answer.header("Access-Control-Allow-Origin"), "");
  }
  EXPECT_TRUE(engine_.calls().empty());
}

TEST_F(SurfaceTest, LetsConfiguredOriginsIn) {
  options_.policy.allowed_origins = {"https://app.example"};
  options_.token = "secret";
  start();
  engine_.answer("resources.list", "{}");
  const auto answer =
      fetch(get("/resources", "Origin: https://app.example\r\nAuthorization: Bearer secret\r\n"));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.header("Access-Control-Allow-Origin"), "https://app.example");
  const auto preflight = fetch(
      "OPTIONS /resources HTTP/1.1\r\nHost: localhost\r\nOrigin: https://app.example\r\n"
      "Access-Control-Request-Method: POST\r\n\r\n");
  EXPECT_EQ(preflight.status, 204);
  EXPECT_NE(preflight.header("Access-Control-Allow-Headers").find("Content-Type"),
            std::string::npos);
}

TEST_F(SurfaceTest, RefusesFormsOfOtherSites) {
  for (const char* type : {"text/plain", "application/x-www-form-urlencoded", "application/jsonx",
                           "multipart/form-data; boundary=application/json", ""}) {
    for (const char* path : {"/config/resources", "/question", "/question/stream", "/clear"}) {
      const auto answer = fetch("POST " + std::string(path) +
                                " HTTP/1.1\r\nHost: localhost\r\nContent-Type: " + type +
                                "\r\nContent-Length: 2\r\n\r\n{}");
      EXPECT_EQ(answer.status, 415) << type << path;
      EXPECT_EQ(json::parse(answer.body)["tag"], "UnsupportedMediaType");
    }
  }
  EXPECT_EQ(fetch("POST /question HTTP/1.1\r\nHost: localhost\r\n\r\n").status, 415);
  EXPECT_TRUE(engine_.calls().empty());
}

TEST_F(SurfaceTest, TakesJsonWithParameters) {
  engine_.answer("resources.add", "{}");
  EXPECT_EQ(fetch("POST /config/resources HTTP/1.1\r\nHost: localhost\r\n"
                  "Content-Type: Application/JSON ; charset=utf-8\r\nContent-Length: 2\r\n\r\n{}")
                .status,
            200);
}

TEST_F(SurfaceTest, UnknownRoutesAndMethodsAreJsonErrors) {
  const auto unknown = fetch(get("/nowhere"));
  EXPECT_EQ(unknown.status, 404);
  EXPECT_EQ(json::parse(unknown.body)["tag"], "NotFound");
  const auto wrong = fetch(with_json("POST", "/resources", "{}"));
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(wrong.header("Allow"), "GET, HEAD, OPTIONS");
  EXPECT_EQ(json::parse(wrong.body)["tag"], "MethodNotAllowed");
  EXPECT_EQ(fetch("TRACE / HTTP/1.1\r\nHost: localhost\r\n\r\n").status, 405);
  EXPECT_EQ(fetch("HEAD /livez HTTP/1.1\r\nHost: localhost\r\n\r\n").status, 200);
  const auto options = fetch("OPTIONS /resources HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(options.status, 204);
  EXPECT_EQ(options.header("Allow"), "GET, HEAD, OPTIONS");
}

TEST_F(SurfaceTest, LimitsAreJsonErrorsToo) {
  server_options_.limits.body_bytes = 100;
  start();
  const auto large = fetch(with_json("POST", "/question", std::string(101, ' ')));
  EXPECT_EQ(large.status, 413);
  EXPECT_EQ(json::parse(large.body)["tag"], "PayloadTooLarge");
  const auto header = fetch("GET / HTTP/1.1\r\nX: " + std::string(20'000, 'x'));
  EXPECT_EQ(header.status, 431);
  EXPECT_EQ(json::parse(header.body)["tag"], "RequestError");
  EXPECT_EQ(fetch("GET / HTTP/1.1\n\n").status, 400);
  server_options_.limits.header_time = std::chrono::milliseconds(100);
  start();
  const auto slow = fetch("GET /resou");
  EXPECT_EQ(slow.status, 408);
  EXPECT_EQ(json::parse(slow.body)["tag"], "RequestTimeout");
}

TEST_F(SurfaceTest, AsksForTheTokenWhenThereIsOne) {
  options_.token = "0123456789abcdef";
  start();
  engine_.answer("resources.list", "{}");
  for (const char* authorization :
       {"", "Authorization: Bearer wrong\r\n", "Authorization: Bearer 0123456789abcde\r\n",
        "Authorization: Bearer 0123456789abcdef0\r\n", "Authorization: Bearer\r\n",
        "Authorization: Basic 0123456789abcdef\r\n"}) {
    const auto answer = fetch(get("/resources", authorization));
    EXPECT_EQ(answer.status, 401) << authorization;
    EXPECT_EQ(answer.header("WWW-Authenticate"), "Bearer");
    EXPECT_EQ(answer.body.find("0123456789"), std::string::npos);
  }
  EXPECT_EQ(fetch(get("/nowhere")).status, 401);
  EXPECT_EQ(fetch(get("/resources", "Authorization: bearer 0123456789abcdef\r\n")).status, 200);
  EXPECT_EQ(fetch(get("/livez")).status, 200);
}

TEST_F(SurfaceTest, StoppingCancelsNothingButWaitsForReplies) {
  engine_.hold("resources.list");
  engine_.answer("resources.list", "{}");
  Client client(port());
  client.send(get("/resources"));
  ASSERT_TRUE(
      http_server::testing::wait_until([&] { return engine_.count("resources.list") == 1; }));
  client.close();
  server_->stop(std::chrono::milliseconds(0));
  EXPECT_FALSE(calls_->wait_until_idle(std::chrono::milliseconds(1)));
  engine_.release();
  EXPECT_TRUE(calls_->wait_until_idle(patience(std::chrono::seconds(10))));
}

}  // namespace
}  // namespace quarry::rest::testing
