#include "model_http/testing/fake_http.h"

#include <cstdlib>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace quarry::gemini {
namespace {

using Json = nlohmann::json;
using model_http::testing::FakeHttp;
using quarry::testing::Component;
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
    model->describe(model.instance(), reply.get());
    return Json::parse(reply.value());
  }
  static Failure refusal(std::string_view configuration) {
    quarry::testing::FakeHost host;
    Reply reply;
    void* instance = nullptr;
    quarry_plugin_entry_v1.components[0]->create(host.get(), as_text(configuration), &instance,
                                                 reply.get());
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
  Reply reply;
  quarry_exchange* exchange = nullptr;
  model->begin(model.instance(), as_text(R"({"model":"gemma","messages":[]})"), &exchange,
               reply.get());
  reply.value();
  const quarry_http_request& sent = *model->request(exchange);
  EXPECT_EQ(Json::parse(as_view(sent.body))["generationConfig"],
            Json({{"temperature", 1.0}, {"topK", 3}}));
  model->destroy_exchange(exchange);
}

TEST_F(Plugin, NeedsTheNameOfAModelAndAWholeRequest) {
  const auto model = make();
  for (const char* chat : {R"({"messages":[]})", "{", R"({"model":"m"})"}) {
    Reply reply;
    quarry_exchange* exchange = nullptr;
    model->begin(model.instance(), as_text(chat), &exchange, reply.get());
    EXPECT_EQ(reply.failure().status, QUARRY_INVALID_ARGUMENT) << chat;
    EXPECT_EQ(exchange, nullptr);
  }
}

TEST_F(Plugin, ListsItsModelsOverAllPages) {
  auto model = make();
  FakeHttp http(model.host);
  http.answers[kList].body =
      R"({"models":[{"name":"models/b","supportedGenerationMethods":["generateContent"]}],)"
      R"("nextPageToken":"p=2"})";
  http.answers[std::string(kList) + "&pageToken=p%3D2"].body =
      R"({"models":[{"name":"models/gemini-flash-latest","inputTokenLimit":1048576,)"
      R"("supportedGenerationMethods":["generateContent"]}]})";
  quarry::testing::FakeCall call;
  Reply reply;
  model->models(model.instance(), call.get(), reply.get());
  EXPECT_EQ(Json::parse(reply.value()), Json::parse(R"({"models":[
      {"id":"gemini-flash-latest","contextTokens":1048576},{"id":"b"}]})"));
  EXPECT_EQ(http.requests.front(),
            "GET " + std::string(kList) + " x-goog-api-key: <GEMINI_API_KEY>");
}

TEST_F(Plugin, TellsWhyItCannotListThem) {
  auto model = make();
  FakeHttp http(model.host);
  quarry::testing::FakeCall call;
  Reply unreachable;
  model->models(model.instance(), call.get(), unreachable.get());
  EXPECT_EQ(unreachable.failure().status, QUARRY_UNAVAILABLE);
  http.answers[kList] = {400, R"({"error":{"code":400,"message":"API key not valid."}})"};
  Reply refused;
  model->models(model.instance(), call.get(), refused.get());
  EXPECT_THAT(refused.failure().message, HasSubstr("API key not valid."));
}

}  // namespace
}  // namespace quarry::gemini
