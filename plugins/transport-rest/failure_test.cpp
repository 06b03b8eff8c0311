#include "transport-rest/failure.h"

#include <gtest/gtest.h>

namespace quarry::rest {
namespace {

Failure failure(quarry_status status, std::string_view details, std::string_view hint = {}) {
  const quarry_failure given{sizeof(quarry_failure), status, as_text("it failed"), as_text(hint),
                             as_text(details)};
  return Failure::copy(given);
}

TEST(ErrorBody, HasMessageTagHintAndDetails) {
  const auto response = error_response(failure(
      QUARRY_INVALID_ARGUMENT,
      R"({"tag":"ConfigError","fields":[{"field":"/name","message":"is missing"}]})", "Add it."));
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(
      response.body,
      R"({"code":"invalid_argument","error":"it failed","hint":"Add it.","tag":"ConfigError",)"
      R"("details":[{"field":"/name","message":"is missing"}]})");
}

TEST(ErrorBody, LeavesOutWhatThereIsNot) {
  EXPECT_EQ(error_response(failure(QUARRY_INTERNAL, R"({"tag":"AgentError","fields":[]})")).body,
            R"({"code":"internal","error":"it failed","tag":"AgentError"})");
  EXPECT_EQ(error_response(404, "NotFound", "nothing").body,
            R"({"error":"nothing","tag":"NotFound"})");
}

TEST(ErrorBody, EachTagHasItsStatus) {
  for (const auto& [tag, status] :
       std::vector<std::pair<const char*, int>>{{"RequestError", 400},
                                                {"ConfigError", 400},
                                                {"CollectionError", 400},
                                                {"ResourceError", 400},
                                                {"ProviderNotConnectedError", 400},
                                                {"ProviderNotAuthenticatedError", 400},
                                                {"ProviderNotFoundError", 400},
                                                {"ProviderOptionsError", 400},
                                                {"RateLimitError", 429},
                                                {"AuthenticationError", 401},
                                                {"RightsError", 403},
                                                {"ProjectError", 404},
                                                {"BudgetError", 429},
                                                {"StoreError", 503},
                                                {"AgentError", 502},
                                                {"TimeoutError", 504},
                                                {"PayloadTooLarge", 413},
                                                {"UnsupportedMediaType", 415},
                                                {"NotFound", 404},
                                                {"InternalError", 500},
                                                {"Unheard", 500}}) {
    EXPECT_EQ(status_of_tag(tag), status) << tag;
  }
}

TEST(ErrorBody, AnUnknownNameInTheConfigurationIsNotFound) {
  EXPECT_EQ(error_response(failure(QUARRY_NOT_FOUND, R"({"tag":"ConfigError"})")).status, 404);
  EXPECT_EQ(error_response(failure(QUARRY_NOT_FOUND, R"({"tag":"CollectionError"})")).status, 400);
}

TEST(ErrorBody, WithoutATagTheStatusSaysWhich) {
  for (const auto& [status, code, tag] : std::vector<std::tuple<quarry_status, int, const char*>>{
           {QUARRY_INVALID_ARGUMENT, 400, "RequestError"},
           {QUARRY_NOT_FOUND, 404, "NotFound"},
           {QUARRY_RESOURCE_EXHAUSTED, 429, "RateLimitError"},
           {QUARRY_DEADLINE_EXCEEDED, 504, "TimeoutError"},
           {QUARRY_UNAVAILABLE, 503, "Unavailable"},
           {QUARRY_PERMISSION_DENIED, 403, "Forbidden"},
           {QUARRY_UNAUTHENTICATED, 401, "Unauthorized"},
           {QUARRY_INTERNAL, 500, "InternalError"},
           {QUARRY_DATA_LOSS, 502, "DataLoss"},
           {static_cast<quarry_status>(999), 500, "InternalError"}}) {
    const auto response = error_response(failure(status, {}));
    EXPECT_EQ(response.status, code);
    EXPECT_NE(response.body.find(tag), std::string::npos) << response.body;
  }
}

TEST(ErrorBody, SurvivesMalformedDetailsAndText) {
  for (const char* details : {"{", "[]", R"({"tag":1,"fields":{}})"}) {
    EXPECT_EQ(error_response(failure(QUARRY_NOT_FOUND, details)).status, 404);
  }
  EXPECT_NE(error_response(400, "RequestError", "bad \xff byte").body.find("\xEF\xBF\xBD"),
            std::string::npos);
}

TEST(ErrorBody, IsMadeOfAnErrorEvent) {
  const auto response = error_response_of_event(
      R"({"type":"error","tag":"RateLimitError","message":"slow down","hint":"wait"})");
  EXPECT_EQ(response.status, 429);
  EXPECT_EQ(response.body, R"({"error":"slow down","hint":"wait","tag":"RateLimitError"})");
  EXPECT_EQ(error_response_of_event("nonsense").status, 500);
  const auto away = error_response_of_event(
      R"({"type":"error","tag":"CollectionError","code":"unavailable","message":"no route"})");
  EXPECT_EQ(away.status, 400);
  EXPECT_EQ(away.body, R"({"code":"unavailable","error":"no route","tag":"CollectionError"})");
}

}  // namespace
}  // namespace quarry::rest
