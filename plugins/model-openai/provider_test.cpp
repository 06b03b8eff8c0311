#include "model-openai/provider.h"

#include "model-openai/testing/steps.h"

#include <map>

namespace quarry::openai {
namespace {

using testing::Json;
using testing::kAsked;

class ProviderTest : public ::testing::Test {
 protected:
  Outcome<Provider> make(const Vendor& vendor, std::string_view configuration = "{}") {
    host_.offer(QUARRY_HTTP, http_.get());
    return Provider::make(vendor, Host(host_.get()), configuration, [this](const char* name) {
      const auto found = environment_.find(name);
      return found == environment_.end() ? nullptr : found->second;
    });
  }
  Json describe(const Vendor& vendor, std::string_view configuration = "{}") {
    return Json::parse(make(vendor, configuration)->describe());
  }
  HttpRequest request(const Vendor& vendor, std::string_view configuration = "{}") {
    auto exchange = make(vendor, configuration)->begin(kAsked);
    EXPECT_TRUE(exchange) << exchange.failure().message;
    return (*exchange)->request();
  }

  std::map<std::string, const char*> environment_;
  quarry::testing::FakeHost host_;
  quarry::testing::FakeHttp http_;
  quarry::testing::FakeCall call_;
};

TEST_F(ProviderTest, DescribesAVendorAtHome) {
  const Json said = describe(kOpenAi);
  EXPECT_EQ(said["needs"], Json({"OPENAI_API_KEY"}));
  EXPECT_EQ(said["vendor"], "openai");
  EXPECT_EQ(said["endpoint"], "https://api.openai.com/v1");
  EXPECT_EQ(said["defaultModel"], "gpt-5.4-mini");
  EXPECT_EQ(said["local"], false);
  EXPECT_EQ(said["schema"]["additionalProperties"], false);
  EXPECT_FALSE(describe(kDeepSeek).contains("defaultModel"));
}

TEST_F(ProviderTest, DescribesAnotherServerWithoutAPriceOrAModel) {
  const Json said = describe(kOpenAi, R"({"base_url":"https://llm.example.org/v1/"})");
  EXPECT_EQ(said["endpoint"], "https://llm.example.org/v1");
  EXPECT_FALSE(said.contains("vendor"));
  EXPECT_FALSE(said.contains("defaultModel"));
  EXPECT_TRUE(said["needs"].empty());
}

TEST_F(ProviderTest, DescribesAServerOfThisMachine) {
  for (const Vendor* vendor : {&kLmStudio, &kLlamaCpp, &kVllm}) {
    const Json said = describe(*vendor);
    EXPECT_EQ(said["local"], true) << vendor->name;
    EXPECT_TRUE(said["needs"].empty()) << vendor->name;
    EXPECT_FALSE(said.contains("vendor")) << vendor->name;
    EXPECT_EQ(said["endpoint"], vendor->base_url);
  }
}

TEST_F(ProviderTest, AsksOpenAiItselfForResponses) {
  const HttpRequest asked = request(kOpenAi);
  EXPECT_EQ(asked.method, "POST");
  EXPECT_EQ(asked.url, "https://api.openai.com/v1/responses");
  EXPECT_EQ(asked.headers[0].name, "authorization");
  EXPECT_EQ(asked.headers[0].value, "Bearer ");
  EXPECT_EQ(asked.headers[0].secret, "OPENAI_API_KEY");
  EXPECT_EQ(header(asked.headers, "content-type"), "application/json");
  EXPECT_TRUE(Json::parse(asked.body).contains("input"));
}

TEST_F(ProviderTest, AsksOthersForChatCompletions) {
  environment_["OPENAI_BASE_URL"] = "http://127.0.0.1:9/v1";
  EXPECT_EQ(request(kOpenAi).url, "http://127.0.0.1:9/v1/chat/completions");
  EXPECT_EQ(request(kGroq).url, "https://api.groq.com/openai/v1/chat/completions");
  EXPECT_EQ(request(kLlamaCpp, R"({"api":"responses"})").url, "http://127.0.0.1:8080/v1/responses");
  EXPECT_EQ(request(kOpenAi, R"({"base_url":"https://api.openai.com/v1","api":"chat"})").url,
            "https://api.openai.com/v1/chat/completions");
}

TEST_F(ProviderTest, SendsTheHeadersOfTheUserAndNoKeyWithoutOne) {
  const HttpRequest asked = request(kVllm, R"({"headers":{"x-team":"docs"}})");
  EXPECT_EQ(header(asked.headers, "x-team"), "docs");
  for (const HttpHeader& sent : asked.headers) EXPECT_TRUE(sent.secret.empty()) << sent.name;
}

TEST_F(ProviderTest, SaysWhatIsWrongWithItsConfiguration) {
  EXPECT_EQ(make(kOpenAi, R"({"modle":"x"})").failure().status, QUARRY_INVALID_ARGUMENT);
  EXPECT_EQ(make(kOpenAi, R"({"base_url":"llm.example"})").failure().status,
            QUARRY_INVALID_ARGUMENT);
}

TEST_F(ProviderTest, SaysWhatIsWrongWithARequest) {
  const auto provider = make(kOpenAi);
  EXPECT_EQ(provider->begin("[]").failure().status, QUARRY_INVALID_ARGUMENT);
}

TEST_F(ProviderTest, ListsModelsWithItsKey) {
  http_.response.body = R"({"data":[{"id":"o3"},{"id":"gpt-5.4-mini"}]})";
  const auto models = make(kOpenAi)->models(Call(call_.get()));
  ASSERT_TRUE(models) << models.failure().message;
  EXPECT_EQ(*models, R"({"models":[{"id":"gpt-5.4-mini"},{"id":"o3"}]})");
  ASSERT_EQ(http_.requests.size(), 1u);
  EXPECT_EQ(http_.requests[0].url, "https://api.openai.com/v1/models");
  EXPECT_EQ(http_.requests[0].headers[0].secret, "OPENAI_API_KEY");
}

TEST_F(ProviderTest, SaysWhyThereIsNoList) {
  http_.response = {401, {}, R"({"error":{"message":"bad key","code":"invalid_api_key"}})"};
  const auto models = make(kOpenAi)->models(Call(call_.get()));
  ASSERT_FALSE(models);
  EXPECT_EQ(models.failure().status, QUARRY_UNAUTHENTICATED);
  EXPECT_EQ(models.failure().message,
            "https://api.openai.com/v1/models: HTTP 401: bad key (invalid_api_key)");
}

}  // namespace
}  // namespace quarry::openai
