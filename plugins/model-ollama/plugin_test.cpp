#include <quarry/testing.hpp>

#include <cstdlib>

#include <nlohmann/json.hpp>

namespace quarry::ollama {
namespace {

using Json = nlohmann::json;
using quarry::testing::Component;
using quarry::testing::Reply;

constexpr const char* kHere = "http://127.0.0.1:11434";
constexpr const char* kPluginChat = R"({"model":"qwen3","messages":[]})";

struct Plugin : ::testing::Test {
  Plugin() { ::unsetenv("OLLAMA_HOST"); }
  static Component<quarry_model_v1> make(std::string_view configuration = "{}") {
    return {quarry_plugin_entry_v1, QUARRY_MODEL, "ollama", configuration};
  }
  static Json describe(std::string_view configuration = "{}") {
    const auto model = make(configuration);
    Reply reply;
    model->describe(model.instance(), nullptr, reply.get());
    return Json::parse(reply.value());
  }
};

TEST_F(Plugin, IsOnThisMachineAndCostsNothing) {
  const Json said = describe();
  EXPECT_EQ(said["endpoint"], kHere);
  EXPECT_EQ(said["local"], true);
  EXPECT_EQ(said["needs"], Json::array());
  EXPECT_FALSE(said.contains("vendor"));
  ::setenv("OLLAMA_HOST", "gpu:99", 1);
  EXPECT_EQ(describe()["endpoint"], "http://gpu:99");
  EXPECT_EQ(describe(R"({"base_url":"http://other"})")["endpoint"], "http://other");
}

TEST_F(Plugin, NeedsAKeyInTheCloud) {
  const Json said = describe(R"({"base_url":"https://ollama.com"})");
  EXPECT_EQ(said["needs"], Json({"OLLAMA_API_KEY"}));
  EXPECT_EQ(said["local"], false);
  EXPECT_EQ(said["vendor"], "ollama-cloud");
  EXPECT_EQ(describe(R"({"base_url":"https://ollama.com","api_key":"model.api_key"})")["needs"],
            Json({"model.api_key"}));
}

TEST_F(Plugin, LoadsAModelForALargeContextOnThisMachineOnly) {
  const auto options = [](std::string_view configuration) {
    const auto model = make(configuration);
    quarry::testing::StartedExchange started(model, kPluginChat);
    return Json::parse(started.request().body)["options"];
  };
  EXPECT_EQ(options("{}"), Json({{"num_ctx", 32768}}));
  EXPECT_EQ(options(R"({"num_ctx":4096})"), Json({{"num_ctx", 4096}}));
  EXPECT_EQ(options(R"({"base_url":"https://ollama.com"})"), Json::object());
}

TEST_F(Plugin, NeedsTheNameOfAModelAndSoundOptions) {
  const auto model = make();
  Reply nameless;
  quarry_exchange* exchange = nullptr;
  model->begin(model.instance(), nullptr, as_text(R"({"messages":[]})"), &exchange, nameless.get());
  EXPECT_EQ(nameless.failure().status, QUARRY_INVALID_ARGUMENT);
  for (const char* wrong : {R"({"num_ctx":"many"})", R"({"base_url":"gpu"})", "[]"}) {
    quarry::testing::FakeHost host;
    Reply refused;
    void* instance = nullptr;
    quarry_plugin_entry_v1.components[0]->create(host.get(), nullptr, as_text(wrong), &instance,
                                                 refused.get());
    EXPECT_EQ(refused.failure().status, QUARRY_INVALID_ARGUMENT) << wrong;
  }
}

struct ModelLists : Plugin {
  explicit ModelLists(std::string_view configuration = "{}") : model(make(configuration)) {
    model.host.offer(QUARRY_HTTP, http.get());
  }
  void list() { model->models(model.instance(), call.get(), reply.get()); }
  static std::string url(const char* path) { return kHere + std::string(path); }

  Component<quarry_model_v1> model;
  quarry::testing::FakeHttp http;
  quarry::testing::FakeCall call;
  Reply reply;
};

TEST_F(ModelLists, SayWhatEachModelCanDo) {
  http.responses[url("/api/tags")] = {200, {}, R"({"models":[{"name":"qwen3"}]})"};
  http.responses[url("/api/show")] = {
      200, {}, R"({"capabilities":["completion","tools"],"model_info":{
                  "general.architecture":"qwen3","qwen3.context_length":8192}})"};
  list();
  EXPECT_EQ(reply.value(), R"({"models":[{"contextTokens":8192,"id":"qwen3"}]})");
  ASSERT_EQ(http.requests.size(), 2u);
  EXPECT_EQ(http.requests[1].method, "POST");
  EXPECT_EQ(http.requests[1].body, R"({"model":"qwen3"})");
}

TEST_F(ModelLists, HoldAModelThatCannotBeDescribed) {
  http.responses[url("/api/tags")] = {200, {}, R"({"models":[{"name":"a"}]})"};
  http.responses[url("/api/show")] = {500, {}, R"({"error":"broken"})"};
  list();
  EXPECT_EQ(reply.value(), R"({"models":[{"contextTokens":32768,"id":"a"}]})");
}

struct ModelListsOfAGateway : ModelLists {
  ModelListsOfAGateway() : ModelLists(R"({"headers":{"x-team":"docs"}})") {}
};

TEST_F(ModelListsOfAGateway, AreAskedForWithTheHeadersOfTheUser) {
  http.responses[url("/api/tags")] = {200, {}, R"({"models":[{"name":"a"}]})"};
  http.responses[url("/api/show")] = {200, {}, "{}"};
  list();
  EXPECT_EQ(reply.value(), R"({"models":[{"contextTokens":32768,"id":"a"}]})");
  ASSERT_EQ(http.requests.size(), 2u);
  for (const HttpRequest& asked : http.requests) {
    EXPECT_EQ(header(asked.headers, "x-team"), "docs") << asked.url;
  }
}

TEST_F(ModelLists, TellThatNothingListens) {
  http.failure = {QUARRY_UNAVAILABLE, "connection refused", {}, {}};
  list();
  EXPECT_EQ(reply.failure().status, QUARRY_UNAVAILABLE);
}

TEST_F(ModelLists, EndWithTheCall) {
  http.responses[url("/api/tags")] = {200, {}, R"({"models":[{"name":"a"},{"name":"b"}]})"};
  call.cancel_after(2);  // checks: at the body of the list, and before the first model
  list();
  EXPECT_EQ(reply.failure().status, QUARRY_CANCELLED);
  EXPECT_EQ(http.requests.size(), 2u);
}

}  // namespace
}  // namespace quarry::ollama
