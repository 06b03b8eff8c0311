#include "page_routes.h"

#include "engine_client/testing/fake_engine.h"
#include "http_server/testing/client.h"
#include "testing/fake_host.h"
#include "transport-mcp/transport.h"
#include "transport-rest/page.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry::transport_mcp {
namespace {

using engine_client::testing::FakeEngine;
using http_server::testing::Client;
using http_server::testing::fetch;
using http_server::testing::get;
using http_server::testing::with_json;
using mcp::Json;
using testing::FakeHost;

constexpr std::string_view kToken = "Authorization: Bearer secret\r\n";

/// The page's routes with a fake engine; the token "secret" is "tok_1" of projects p and q.
class PageRoutesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    engine_.answer("access.admit", R"({"admitted":true,"token":"tok_1","project":"p",
                                       "projects":["p","q"],"rights":["ask","list"]})");
    engine_.answer("access.record", "{}");
    engine_.answer("question.stop", "{}");
    engine_.answer("schemas", R"({"question":{"required":["question"]}})");
    engine_.answer("methods", R"({"methods":{"resources.list":{"principal":"optional"},
                                             "config.show":{}}})");
    engine_.answer("resources.list", R"({"resources":[]})");
    engine_.answer("config.show", R"({"secret":1})");
    start("true");
  }
  void start(const std::string& page) {
    auto made = Transport::create(host_.host(), Call(nullptr),
                                  R"({"listen":"127.0.0.1:0","page":)" + page + "}", "9");
    ASSERT_TRUE(made);
    transport_ = std::move(*made);
    const auto started = transport_->start(engine_.table());
    ASSERT_TRUE(started);
    const std::string url = Json::parse(*started)["listening"][0];
    port_ = static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
  }
  void TearDown() override {
    engine_.release();
    transport_->stop({});
    EXPECT_EQ(engine_.open_readers(), 0);
    EXPECT_EQ(host_.threads.running(), 0);
  }

  [[nodiscard]] int status(std::string_view path, std::string_view fields = kToken) const {
    return fetch(port_, get(path, fields)).status;
  }
  /// The params of the last call of `method`; null if there was none.
  Json params_of(std::string_view method) {
    Json params;
    for (const auto& [name, text] : engine_.calls()) {
      if (name == method) params = Json::parse(text);
    }
    return params;
  }

  FakeHost host_;
  FakeEngine engine_;
  std::unique_ptr<Transport> transport_;
  std::uint16_t port_ = 0;
};

TEST_F(PageRoutesTest, TheFilesNeedNoToken) {
  const auto page = fetch(port_, get("/ui/"));
  if (rest::page_files().empty()) GTEST_SKIP() << "this build has no page";
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.header("Content-Type"), "text/html; charset=utf-8");
  EXPECT_NE(page.header("Content-Security-Policy"), "");
  EXPECT_EQ(status("/ui/page.js", ""), 200);
  EXPECT_EQ(status("/ui/other.js", ""), 404);
  EXPECT_EQ(engine_.count("access.admit"), 0U);
}

TEST_F(PageRoutesTest, ABrowserIsLedToThePage) {
  const auto led = fetch(port_, get("/", "Accept: text/html\r\n"));
  EXPECT_EQ(led.status, 303);
  EXPECT_EQ(led.header("Location"), "/ui/");
  EXPECT_EQ(status("/", ""), 404);
}

TEST_F(PageRoutesTest, ThePageIsReadOnly) {
  const auto refused = fetch(port_, with_json("POST", "/ui/", "{}", kToken));
  EXPECT_EQ(refused.status, 405);
  EXPECT_EQ(refused.header("Allow"), "GET, HEAD");
}

TEST_F(PageRoutesTest, WithoutATokenNothingIsCalled) {
  for (const char* path : {"/ui/api", "/ui/api/", "/ui/api/resources"}) {
    EXPECT_EQ(status(path, ""), 401) << path;
  }
  engine_.fail("access.admit", QUARRY_UNAUTHENTICATED, "unknown token");
  EXPECT_EQ(status("/ui/api/resources"), 401);
  EXPECT_EQ(engine_.count("resources.list"), 0U);
}

TEST_F(PageRoutesTest, DescribesTheCaller) {
  const auto answer = fetch(port_, get("/ui/api/", kToken));
  ASSERT_EQ(answer.status, 200);
  EXPECT_EQ(Json::parse(answer.body), (Json{{"ok", true},
                                            {"service", "quarry"},
                                            {"version", "9"},
                                            {"project", "p"},
                                            {"projects", {"p", "q"}},
                                            {"rights", {"ask", "list"}}}));
}

TEST_F(PageRoutesTest, CallsActForTheBearer) {
  EXPECT_EQ(status("/ui/api/resources"), 200);
  EXPECT_EQ(params_of("resources.list"), (Json{{"principal", {{"token", "tok_1"}}}}));
  EXPECT_EQ(status("/ui/api/resources", std::string(kToken) + "X-Project: q\r\n"), 200);
  EXPECT_EQ(params_of("resources.list"),
            (Json{{"principal", {{"token", "tok_1"}, {"project", "q"}}}}));
}

TEST_F(PageRoutesTest, MethodsOfTheOwnerAreNotThere) {
  EXPECT_EQ(status("/ui/api/config"), 404);
  EXPECT_EQ(status("/ui/api/livez"), 404);
  EXPECT_EQ(status("/ui/api/metrics"), 404);
  EXPECT_EQ(status("/ui/api/ui/"), 404);
  EXPECT_EQ(status("/ui/apiary"), 404);
  EXPECT_EQ(engine_.count("config.show"), 0U);
}

TEST_F(PageRoutesTest, FormsOfOtherSitesCannotPost) {
  const std::string form =
      "POST /ui/api/question HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\n"
      "Content-Length: 2\r\n" +
      std::string(kToken) + "\r\n{}";
  EXPECT_EQ(fetch(port_, form).status, 415);
  EXPECT_EQ(engine_.count("question.ask"), 0U);
}

TEST_F(PageRoutesTest, TheAuditHasEachRequestWithItsQuestion) {
  EXPECT_EQ(status("/ui/api/resources", std::string(kToken) + "X-Project: q\r\n"), 200);
  Json recorded = params_of("access.record");
  EXPECT_EQ(recorded["principal"], (Json{{"token", "tok_1"}, {"project", "q"}}));
  EXPECT_EQ(recorded["method"], "GET");
  EXPECT_EQ(recorded["tool"], "/resources");
  EXPECT_EQ(recorded["status"], 200);
  EXPECT_FALSE(recorded.contains("questionId"));

  engine_.add_question("q1");
  engine_.emit("q1", "done", R"({"type":"done"})");
  engine_.end("q1");
  Client client(port_);
  client.send(with_json("POST", "/ui/api/question/stream", R"({"question":"?"})", kToken));
  EXPECT_NE(client.receive_until(R"({"type":"done"})").find("text/event-stream"),
            std::string::npos);
  recorded = params_of("access.record");
  EXPECT_EQ(recorded["questionId"], "q1");
  EXPECT_EQ(recorded["tool"], "/question/stream");
  EXPECT_EQ(params_of("question.ask")["principal"], (Json{{"token", "tok_1"}}));
}

TEST_F(PageRoutesTest, FailuresOfTheEngineKeepTheirStatus) {
  engine_.fail("resources.list", QUARRY_PERMISSION_DENIED, "no", "ask", R"({"tag":"RightsError"})");
  EXPECT_EQ(status("/ui/api/resources"), 403);
  EXPECT_EQ(params_of("access.record")["status"], 403);
}

TEST_F(PageRoutesTest, WithoutTheSettingThereIsNoPage) {
  transport_->stop({});
  start("false");
  for (const char* path : {"/", "/ui/", "/ui/api/", "/ui/api/resources"}) {
    EXPECT_EQ(status(path), 404) << path;
  }
}

}  // namespace
}  // namespace quarry::transport_mcp
