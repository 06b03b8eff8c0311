#include "model_http/settings.h"

#include <quarry/testing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::model_http {
namespace {

const Home kHome{"https://api.example.org/v1/", "EXAMPLE_API_KEY", "EXAMPLE_BASE_URL"};

const char* nothing(const char*) {
  return nullptr;
}

Settings read(std::string_view configuration, const Environment& environment = nothing) {
  const auto settings = Settings::read(configuration, kHome, environment);
  EXPECT_TRUE(settings) << settings.failure().message;
  return settings ? *settings : Settings();
}

TEST(Settings, AreTheProvidersOwnByDefault) {
  const Settings settings = read("{}");
  EXPECT_EQ(settings.base_url, "https://api.example.org/v1");
  EXPECT_EQ(settings.secret, "EXAMPLE_API_KEY");
  EXPECT_EQ(settings.needs(), std::vector<std::string>{"EXAMPLE_API_KEY"});
  EXPECT_TRUE(settings.at_home);
}

TEST(Settings, SendTheUsualKeyToNoAddressOfTheConfiguration) {
  const Settings settings = read(R"({"base_url":"http://127.0.0.1:1234/v1","temperature":1})");
  EXPECT_EQ(settings.secret, "");
  EXPECT_TRUE(settings.needs().empty());
  EXPECT_FALSE(settings.at_home);
  EXPECT_EQ(settings.options, nlohmann::json({{"temperature", 1}}));
  EXPECT_EQ(read(R"({"base_url":"http://a/v1","api_key":"model.api_key"})").secret,
            "model.api_key");
}

TEST(Settings, FollowTheVariablesUsersHave) {
  const auto environment = [](const char* name) {
    return std::string_view(name) == "EXAMPLE_BASE_URL" ? "https://proxy.example/v1" : nullptr;
  };
  const Settings settings = read("{}", environment);
  EXPECT_EQ(settings.base_url, "https://proxy.example/v1");
  EXPECT_EQ(settings.secret, "EXAMPLE_API_KEY");
  EXPECT_FALSE(settings.at_home);
  EXPECT_EQ(read(R"({"base_url":"https://other.example"})", environment).secret, "");
}

TEST(Settings, NameWhatIsWrong) {
  const auto refused = [](std::string_view configuration) {
    const auto settings = Settings::read(configuration, kHome, nothing);
    return settings ? "accepted" : settings.failure().message;
  };
  EXPECT_THAT(refused(R"({"base_url":"ftp://a"})"),
              ::testing::HasSubstr("base_url must begin with"));
  EXPECT_THAT(refused(R"({"base_url":"https://"})"), ::testing::HasSubstr("and a host"));
  EXPECT_THAT(refused(R"({"base_url":"https://u:p@a/v1"})"), ::testing::HasSubstr("api_key"));
  EXPECT_THAT(refused(R"({"base_url":"https://a/v1?x"})"), ::testing::HasSubstr("query"));
  EXPECT_THAT(refused(R"({"base_url":7})"), ::testing::HasSubstr("must be a string"));
  EXPECT_THAT(refused("[]"), ::testing::HasSubstr("must be an object"));
}

struct GetJson : ::testing::Test {
  Outcome<nlohmann::json> get() {
    host.offer(QUARRY_HTTP, http.get());
    return get_json(Host(host.get()), Call(call.get()), "https://a.example/models", {});
  }
  quarry::testing::FakeHost host;
  quarry::testing::FakeHttp http;
  quarry::testing::FakeCall call;
};

TEST_F(GetJson, AnswersTheJson) {
  http.response.body = R"({"data":[1]})";
  const auto json = get();
  ASSERT_TRUE(json) << json.failure().message;
  EXPECT_EQ((*json)["data"][0], 1);
  EXPECT_EQ(http.requests[0].method, "GET");
}

TEST_F(GetJson, AStatusThatSaysNoIsAFailureInTheProvidersWords) {
  http.response = {401, {}, R"({"error":{"message":"bad key"}})"};
  EXPECT_EQ(get().failure().status, QUARRY_UNAUTHENTICATED);
  EXPECT_EQ(get().failure().message, "https://a.example/models: HTTP 401: bad key");
}

// LM Studio answers so when the base URL lacks its "/v1".
TEST_F(GetJson, AnErrorWithStatus200IsAFailureInTheProvidersWords) {
  http.response.body = R"json({"error":"Unexpected endpoint or method. (GET /models)"})json";
  EXPECT_EQ(get().failure().status, QUARRY_UNAVAILABLE);
  EXPECT_EQ(get().failure().message,
            "https://a.example/models: Unexpected endpoint or method. (GET /models)");
  http.response.body = R"({"error":{"message":"bad key","code":401}})";
  EXPECT_EQ(get().failure().status, QUARRY_UNAUTHENTICATED);
  http.response.body = R"({"error":null,"data":[]})";
  EXPECT_TRUE(get());
}

TEST_F(GetJson, WhatIsNoJsonIsAFailure) {
  http.response.body = "<html>";
  EXPECT_EQ(get().failure().status, QUARRY_UNAVAILABLE);
  http.failure = {QUARRY_DEADLINE_EXCEEDED, "the deadline has passed", {}, {}};
  EXPECT_EQ(get().failure().status, QUARRY_DEADLINE_EXCEEDED);
}

}  // namespace
}  // namespace quarry::model_http
