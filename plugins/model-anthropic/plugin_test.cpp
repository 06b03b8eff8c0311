#include <quarry/testing.hpp>

#include <cstdlib>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace quarry::anthropic {
namespace {

using Json = nlohmann::json;
using quarry::testing::Reply;
using ::testing::HasSubstr;
using Provider = quarry::testing::Component<quarry_model_v1>;

constexpr const char* kCachedChat = R"({"model":"m","messages":[{"role":"user","text":"?"}],
                                  "options":{"base_url":"http://a","thinking":"low"}})";

struct Plugin : ::testing::Test {
  Plugin() { ::unsetenv("ANTHROPIC_BASE_URL"); }

  static Provider make(std::string_view configuration) {
    return {quarry_plugin_entry_v1, QUARRY_MODEL, "anthropic", configuration};
  }
  static Json describe(const Provider& provider) {
    Reply reply;
    provider->describe(provider.instance(), nullptr, reply.get());
    return Json::parse(reply.value());
  }
  static Failure begin(const Provider& provider, std::string_view chat) {
    Reply reply;
    quarry_exchange* exchange = nullptr;
    provider->begin(provider.instance(), nullptr, as_text(chat), &exchange, reply.get());
    EXPECT_EQ(exchange, nullptr);
    return reply.failure();
  }
};

TEST_F(Plugin, SaysWhatItIs) {
  const Json said = describe(make("{}"));
  EXPECT_EQ(said["vendor"], "anthropic");
  EXPECT_EQ(said["defaultModel"], "claude-haiku-4-5");
  EXPECT_EQ(said["endpoint"], "https://api.anthropic.com");
  EXPECT_EQ(said["needs"], Json({"ANTHROPIC_API_KEY"}));
  EXPECT_EQ(said["local"], false);
  for (const char* option :
       {"base_url", "api_key", "thinking", "temperature", "max_output_tokens", "headers", "body"}) {
    EXPECT_TRUE(said["schema"]["properties"].contains(option)) << option;
  }
}

TEST_F(Plugin, KnowsNeitherBillNorModelOfAnotherAddress) {
  const Json said =
      describe(make(R"({"base_url":"http://127.0.0.1:1/","api_key":"model.api_key"})"));
  EXPECT_FALSE(said.contains("vendor"));
  EXPECT_FALSE(said.contains("defaultModel"));
  EXPECT_EQ(said["endpoint"], "http://127.0.0.1:1");
  EXPECT_EQ(said["needs"], Json({"model.api_key"}));
}

TEST_F(Plugin, PutsTheOptionsOfAQuestionOverTheConfiguredOnes) {
  const Provider provider = make(R"({"thinking":"off","temperature":0.5,"max_output_tokens":7})");
  quarry::testing::StartedExchange exchange(provider, kCachedChat);
  const auto request = exchange.request();
  EXPECT_EQ(request.url, "https://api.anthropic.com/v1/messages");
  const Json body = Json::parse(request.body);
  EXPECT_EQ(body["output_config"]["effort"], "low");
  EXPECT_EQ(body["max_tokens"], 7);
  EXPECT_FALSE(body.contains("temperature"));
}

TEST_F(Plugin, RefusesWhatItCannotAsk) {
  const Provider provider = make("{}");
  EXPECT_THAT(begin(provider, "[]").message, HasSubstr("the chat request is invalid"));
  EXPECT_THAT(
      begin(provider, R"({"model":"m","messages":[],"options":{"thinking":"much"}})").details,
      HasSubstr("/thinking"));
}

TEST_F(Plugin, RefusesAConfigurationWithAMistake) {
  Reply reply;
  void* instance = nullptr;
  quarry::testing::FakeHost host;
  const auto& component = *quarry_plugin_entry_v1.components[0];
  component.create(host.get(), nullptr, as_text(R"({"thinking":12})"), &instance, reply.get());
  EXPECT_EQ(reply.failure().status, QUARRY_INVALID_ARGUMENT);
  Reply address;
  component.create(host.get(), nullptr, as_text(R"({"base_url":"gopher://a"})"), &instance,
                   address.get());
  EXPECT_THAT(address.failure().details, HasSubstr("/base_url"));
}

TEST_F(Plugin, ListsModelsThroughTheHost) {
  quarry::testing::FakeHttp http;
  http.response.body = R"({"data":[{"id":"claude-x","max_input_tokens":9}]})";
  Provider provider = make(R"({"headers":{"x-team":"docs"}})");
  provider.host.offer(QUARRY_HTTP, http.get());
  const quarry::testing::FakeCall call;
  Reply reply;
  provider->models(provider.instance(), call.get(), reply.get());
  EXPECT_EQ(reply.value(), R"({"models":[{"contextTokens":9,"id":"claude-x"}]})");
  ASSERT_EQ(http.requests.size(), 1u);
  EXPECT_EQ(http.requests[0].url, "https://api.anthropic.com/v1/models?limit=1000");
  EXPECT_EQ(header(http.requests[0].headers, "anthropic-version"), "2023-06-01");
  EXPECT_EQ(http.requests[0].headers[1].secret, "ANTHROPIC_API_KEY");
  EXPECT_EQ(header(http.requests[0].headers, "x-team"), "docs") << "a gateway may require it";
}

TEST_F(Plugin, SaysWhyItCannotList) {
  quarry::testing::FakeHttp http;
  http.response = {401, {}, R"({"error":{"message":"invalid x-api-key"}})"};
  Provider provider = make("{}");
  provider.host.offer(QUARRY_HTTP, http.get());
  const quarry::testing::FakeCall call;
  Reply reply;
  provider->models(provider.instance(), call.get(), reply.get());
  EXPECT_EQ(reply.failure().status, QUARRY_UNAUTHENTICATED);
  EXPECT_THAT(reply.failure().message, HasSubstr("invalid x-api-key"));
}

}  // namespace
}  // namespace quarry::anthropic
