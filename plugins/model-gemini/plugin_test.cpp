#include <quarry/testing.hpp>

#include <cstdlib>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace quarry::gemini {
namespace {

using Json = nlohmann::json;
using quarry::testing::Component;
using quarry::testing::FakeHttp;
using quarry::testing::Reply;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kList =
    "https://generativelanguage.googleapis.com/v1beta/models?pageSize=1000";

struct Plugin : ::testing::Test {
  Plugin() {
    for (const char* name : {"GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL"}) {
      ::unsetenv(name);
    }
  }
  static Component<quarry_model_v1> make(std::string_view configuration = "{}") {
    return {quarry_plugin_entry_v1, QUARRY_MODEL, "gemini", configuration};
  }
  static Json describe(std::string_view configuration = "{}") {
    const auto model = make(configuration);
    Reply reply;
    model->describe(model.instance(), nullptr, reply.get());
    return Json::parse(reply.value());
  }
  static Failure refusal(std::string_view configuration) {
    quarry::testing::FakeHost host;
    Reply reply;
    void* instance = nullptr;
    quarry_plugin_entry_v1.components[0]->create(host.get(), nullptr, as_text(configuration),
                                                 &instance, reply.get());
    return reply.failure();
  }
};

TEST_F(Plugin, SaysWhereItIsAndWhichKeyItNeeds) {
  const Json said = describe();
  EXPECT_EQ(said["needs"], Json({"GEMINI_API_KEY"}));
  EXPECT_EQ(said["local"], false);
  EXPECT_EQ(said["vendor"], "google");
  EXPECT_EQ(said["endpoint"], "https://generativelanguage.googleapis.com");
  EXPECT_EQ(said["defaultModel"], "gemini-flash-latest");
  ::setenv("GOOGLE_API_KEY", "k", 1);
  EXPECT_EQ(describe()["needs"], Json({"GOOGLE_API_KEY"}));
  ::setenv("GEMINI_API_KEY", "k", 1);
  EXPECT_EQ(describe()["needs"], Json({"GEMINI_API_KEY"}));
}

TEST_F(Plugin, ElsewhereIsOfNoKnownVendorAndGetsNoUsualKey) {
  const Json said = describe(R"({"base_url":"http://127.0.0.1:4010"})");
  EXPECT_EQ(said["needs"], Json::array());
  EXPECT_FALSE(said.contains("vendor"));
  EXPECT_FALSE(said.contains("defaultModel"));
  EXPECT_EQ(describe(R"({"base_url":"http://a","api_key":"model.api_key"})")["needs"],
            Json({"model.api_key"}));
}

TEST_F(Plugin, NamesTheOptionThatIsWrong) {
  EXPECT_THAT(refusal(R"({"temperature":"hot"})").details, HasSubstr("/temperature"));
  EXPECT_THAT(refusal(R"({"num_ctx":1})").details, HasSubstr("/num_ctx"));
  EXPECT_THAT(refusal(R"({"base_url":"x"})").details, HasSubstr("/base_url"));
}

TEST_F(Plugin, AsksForWhatIsConfigured) {
  const auto model = make(R"({"temperature":1,"body":{"generationConfig":{"topK":3}}})");
  quarry::testing::StartedExchange started(model, R"({"model":"gemma","messages":[]})");
  EXPECT_EQ(Json::parse(started.request().body)["generationConfig"],
            Json({{"temperature", 1.0}, {"topK", 3}}));
}

TEST_F(Plugin, NeedsTheNameOfAModelAndAWholeRequest) {
  const auto model = make();
  for (const char* chat : {R"({"messages":[]})", "{", R"({"model":"m"})"}) {
    Reply reply;
    quarry_exchange* exchange = nullptr;
    model->begin(model.instance(), nullptr, as_text(chat), &exchange, reply.get());
    EXPECT_EQ(reply.failure().status, QUARRY_INVALID_ARGUMENT) << chat;
    EXPECT_EQ(exchange, nullptr);
  }
}

struct ModelLists : Plugin {
  explicit ModelLists(std::string_view configuration = "{}") : model(make(configuration)) {
    model.host.offer(QUARRY_HTTP, http.get());
  }
  void list() { model->models(model.instance(), call.get(), reply.get()); }

  Component<quarry_model_v1> model;
  FakeHttp http;
  quarry::testing::FakeCall call;
  Reply reply;
};

TEST_F(ModelLists, GoOverAllPages) {
  http.responses[kList] = {
      200,
      {},
      R"({"models":[{"name":"models/b","supportedGenerationMethods":["generateContent"]}],)"
      R"("nextPageToken":"p=2"})"};
  http.responses[std::string(kList) + "&pageToken=p%3D2"] = {
      200,
      {},
      R"({"models":[{"name":"models/gemini-flash-latest","inputTokenLimit":1048576,)"
      R"("supportedGenerationMethods":["generateContent"]}]})"};
  list();
  EXPECT_EQ(Json::parse(reply.value()), Json::parse(R"({"models":[
      {"id":"gemini-flash-latest","contextTokens":1048576},{"id":"b"}]})"));
  ASSERT_EQ(http.requests.size(), 2u);
  EXPECT_EQ(http.requests[0].method, "GET");
  ASSERT_EQ(http.requests[0].headers.size(), 1u);
  EXPECT_EQ(http.requests[0].headers[0].name, "x-goog-api-key");
  EXPECT_EQ(http.requests[0].headers[0].secret, "GEMINI_API_KEY");
}

struct ModelListsOfAGateway : ModelLists {
  ModelListsOfAGateway() : ModelLists(R"({"headers":{"x-team":"docs"}})") {}
};

TEST_F(ModelListsOfAGateway, AreAskedForWithTheHeadersOfTheUser) {
  http.response.body = R"({"models":[]})";
  list();
  EXPECT_EQ(reply.value(), R"({"models":[]})");
  ASSERT_EQ(http.requests.size(), 1u);
  EXPECT_EQ(header(http.requests[0].headers, "x-team"), "docs");
}

TEST_F(ModelLists, EndThoughTheServerAlwaysNamesAnotherPage) {
  http.response.body = R"({"models":[],"nextPageToken":"again"})";
  list();
  EXPECT_EQ(reply.value(), R"({"models":[]})");
  EXPECT_EQ(http.requests.size(), 20u);
}

TEST_F(ModelLists, TellWhyThereIsNone) {
  http.response = {400,
                   {},
                   R"({"error":{"code":400,"message":"API key not valid.",)"
                   R"("details":[{"reason":"API_KEY_INVALID"}]}})"};
  list();
  EXPECT_EQ(reply.failure().status, QUARRY_UNAUTHENTICATED);
  EXPECT_THAT(reply.failure().message, HasSubstr("API key not valid."));
}

}  // namespace
}  // namespace quarry::gemini
