#include "engine/usage_report.h"

#include <gmock/gmock.h>

namespace quarry::engine {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_days;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

constexpr Clock::Wall kNow = sys_days(2026y / 11 / 21) + 8h;

Result<UsageRequest> usage(std::string_view params) {
  const auto value = ParamsCheck(kUsageParams).read(params);
  if (!value) return value.error();
  return read_usage(*value, kNow);
}

std::optional<Clock::Wall> since(const std::string& text) {
  const auto request = usage(R"({"since":")" + text + "\"}");
  return request ? request->since : std::nullopt;
}

std::vector<std::string> refused_fields(const std::string& params) {
  const auto request = usage(params);
  if (request) return {"accepted"};
  EXPECT_EQ(request.error().tag, "RequestError");
  std::vector<std::string> fields;
  for (const FieldError& detail : request.error().details) fields.push_back(detail.field);
  return fields;
}

TEST(UsageReport, TakesADayOrAnAge) {
  EXPECT_EQ(since("2026-11-01"), sys_days(2026y / 11 / 1));
  EXPECT_EQ(since("7d"), kNow - 7 * 24h);
  EXPECT_EQ(since("24h"), kNow - 24h);
  EXPECT_EQ(since("0d"), kNow);
  EXPECT_FALSE(usage("{}")->since);
  EXPECT_FALSE(usage(R"({"since":null,"by":null})")->since);
}

TEST(UsageReport, RefusesOtherTimesAndGroupsByTheirField) {
  for (const char* text : {"", "d", "7", "7m", "-7d", "+7d", "7 d", "2026-02-30", "2026-13-01",
                           "2026-1-01", "2026/11/01", "999999d", "yesterday"}) {
    EXPECT_THAT(refused_fields(R"({"since":")" + std::string(text) + "\"}"), ElementsAre("/since"))
        << text;
  }
  EXPECT_THAT(refused_fields(R"({"since":7,"by":"provider"})"),
              UnorderedElementsAre("/since", "/by"));
  EXPECT_EQ(refused_fields(R"({"by":"day"})").front(), "accepted");
  EXPECT_FALSE(usage("{"));
}

TEST(UsageReport, WritesMoneyToTheLastDigit) {
  history::Usage usage;
  usage.rows.push_back({"p/m", {.questions = 1, .calls = 2, .input = 3, .cost = {123}}});
  usage.total = {.questions = 1, .calls = 2, .cost = {9'007'199'254'740'993}, .unpriced_calls = 4};
  EXPECT_EQ(usage_report({sys_days(2026y / 11 / 1), history::By::kModel}, usage),
            R"({"since":"2026-11-01T00:00:00Z","by":"model","rows":[{"key":"p/m","questions":1,)"
            R"("calls":2,"inputTokens":3,"outputTokens":0,"reasoningTokens":0,"cacheReadTokens":0,)"
            R"("cacheWriteTokens":0,"costUsd":0.000000123}],"total":{"questions":1,"calls":2,)"
            R"("inputTokens":0,"outputTokens":0,"reasoningTokens":0,"cacheReadTokens":0,)"
            R"("cacheWriteTokens":0,"costUsd":9007199.254740993},"unpricedCalls":4})");
  EXPECT_TRUE(usage_report({{}, history::By::kDay}, {}).starts_with(R"({"since":null,"by":"day")"));
}

}  // namespace
}  // namespace quarry::engine
