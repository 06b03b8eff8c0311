#include "model_http/failure_reply.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry::model_http {
namespace {

TEST(FailureReply, FindsTheProvidersWords) {
  EXPECT_EQ(message_of(R"({"error":{"message":"no quota","type":"x"}})"), "no quota");
  EXPECT_EQ(message_of(R"({"error":"model not found"})"), "model not found");
  EXPECT_EQ(message_of(R"({"message":"bad"})"), "bad");
  EXPECT_EQ(message_of(R"({"detail":[{"msg":"x"}]})"), "x");
  EXPECT_EQ(message_of(R"({"errors":[{"message":"first"}]})"), "first");
  EXPECT_EQ(message_of(R"({"success":false,"msg":"no"})"), "no");
  EXPECT_EQ(message_of(R"({"error_code":17,"error_msg":"daily limit"})"), "daily limit");
  EXPECT_EQ(message_of(R"({"base_resp":{"status_code":1008,"status_msg":"balance"}})"), "balance");
  EXPECT_EQ(message_of(R"({"code":5})"), R"({"code":5})") << "has no words";
  EXPECT_EQ(message_of(R"([{"error":{"code":400,"message":"in a list"}}])"), "in a list");
  EXPECT_EQ(message_of(R"({"error":null,"message":"second"})"), "second");
  EXPECT_EQ(message_of("<html>bad gateway</html>"), "<html>bad gateway</html>");
  EXPECT_EQ(message_of("\n<html><head><title>502 Bad Gateway</title></head></html>"),
            "502 Bad Gateway");
  EXPECT_EQ(message_of(""), "");
  EXPECT_EQ(message_of(std::string(60'000, '[')), std::string(500, '[') + "…");
}

TEST(FailureReply, IsNoFailureWithoutAnything) {
  for (const char* nothing : {"null", "\"\"", "{}", "[]", "false", "0"}) {
    EXPECT_FALSE(is_failure(nlohmann::json::parse(nothing))) << nothing;
  }
  for (const char* failure : {"\"gone\"", R"({"code":1})", "true", "500"}) {
    EXPECT_TRUE(is_failure(nlohmann::json::parse(failure))) << failure;
  }
}

TEST(FailureReply, AddsACodeInWordsAndWhatARouterWasTold) {
  EXPECT_EQ(message_of(R"({"error":{"message":"too long","code":"context_length_exceeded"}})"),
            "too long (context_length_exceeded)");
  EXPECT_EQ(message_of(R"({"error":{"message":"Provider returned error","code":400,)"
                       R"("metadata":{"raw":"bad schema"}}})"),
            "Provider returned error: bad schema");
  EXPECT_EQ(message_of(R"({"error":{"message":"{\"error\":{\"message\":\"no quota\"}}"}})"),
            "no quota");
  EXPECT_EQ(message_of(R"({"error":{"message":"{a} is no name"}})"), "{a} is no name");
}

// BerriAI/litellm#37599: the code is a text of digits
TEST(FailureReply, FindsAStatusInACode) {
  const auto status = [](const char* error) {
    return http_status_in(nlohmann::json::parse(error));
  };
  EXPECT_EQ(status(R"({"code":429})"), 429);
  EXPECT_EQ(status(R"({"code":"429"})"), 429);
  for (const char* none : {"{}", "7", R"({"code":7})", R"({"code":"600"})", R"({"code":"429 "})",
                           R"({"code":null})", R"({"code":"rate_limit_exceeded"})"}) {
    EXPECT_EQ(status(none), 0) << none;
  }
  EXPECT_EQ(message_of(R"({"error":{"message":"no quota","code":"429"}})"), "no quota")
      << "the code is no word";
}

TEST(FailureReply, CutsALongPageBetweenCharacters) {
  std::string page(499, 'x');
  page += "äöü";
  EXPECT_EQ(message_of(page), std::string(499, 'x') + "…");
}

TEST(FailureReply, MapsEveryStatusThatProvidersUse) {
  EXPECT_EQ(status_of(400), QUARRY_INVALID_ARGUMENT);
  EXPECT_EQ(status_of(401), QUARRY_UNAUTHENTICATED);
  EXPECT_EQ(status_of(402), QUARRY_RESOURCE_EXHAUSTED);
  EXPECT_EQ(status_of(403), QUARRY_PERMISSION_DENIED);
  EXPECT_EQ(status_of(404), QUARRY_NOT_FOUND);
  EXPECT_EQ(status_of(408), QUARRY_DEADLINE_EXCEEDED);
  EXPECT_EQ(status_of(429), QUARRY_RESOURCE_EXHAUSTED);
  EXPECT_EQ(status_of(500), QUARRY_UNAVAILABLE);
  EXPECT_EQ(status_of(504), QUARRY_DEADLINE_EXCEEDED);
  EXPECT_EQ(status_of(529), QUARRY_UNAVAILABLE);
}

TEST(FailureReply, KnowsAKeyThatGoogleRefuses) {
  const auto error = nlohmann::json::parse(
      R"({"code":400,"details":[{"@type":"x"},{"reason":"API_KEY_INVALID"}]})");
  EXPECT_EQ(status_of(400, error), QUARRY_UNAUTHENTICATED);
  EXPECT_EQ(status_of(400, {{"code", 400}}), QUARRY_INVALID_ARGUMENT);
  EXPECT_EQ(status_of(429, nullptr), QUARRY_RESOURCE_EXHAUSTED);
}

TEST(FailureReply, FindsTheWaitInItsDetails) {
  const auto wait = [](std::string_view details) {
    return retry_delay({{"details", nlohmann::json::parse(details)}});
  };
  EXPECT_EQ(wait(R"([{"@type":"x"},{"retryDelay":"34.074824224s"}])"), 34075);
  EXPECT_EQ(wait(R"([{"retryDelay":"0s"}])"), 0);
  for (const char* none :
       {"[]", "{}", "7", R"([{"retryDelay":"soon"}])", R"([{"retryDelay":"-1s"}])",
        R"([{"retryDelay":"1e9s"}])", R"([{"retryDelay":"5"}])", R"([{"retryDelay":5}])"}) {
    EXPECT_EQ(wait(none), -1) << none;
  }
}

}  // namespace
}  // namespace quarry::model_http
