#include "ask/retry.h"

#include "base/testing/fake_clock.h"

#include <gtest/gtest.h>

namespace quarry::ask {
namespace {

using namespace std::chrono_literals;
using Headers = std::vector<services::HttpHeader>;
using Wait = std::optional<std::chrono::milliseconds>;

Wait asked(Headers headers, std::string body = {}) {
  return wait_after({}, 1, {429, std::move(headers), std::move(body)}, FakeClock().now());
}

/// True if `wait` can be the first wait when the provider asks for none.
bool is_own(const Wait& wait) {
  return wait && *wait >= 250ms && *wait <= 500ms;
}

TEST(Retry, IsForWhatMayPass) {
  for (const int status : {408, 409, 429, 500, 502, 503, 529}) {
    EXPECT_TRUE(may_be_retried(status, {})) << status;
  }
  for (const int status : {200, 204, 400, 401, 402, 403, 404, 413, 422}) {
    EXPECT_FALSE(may_be_retried(status, {})) << status;
  }
}

TEST(Retry, HeedsTheProvidersAdvice) {
  EXPECT_TRUE(may_be_retried(400, Headers{{"X-Should-Retry", "true", ""}}));
  EXPECT_FALSE(may_be_retried(503, Headers{{"x-should-retry", "false", ""}}));
  EXPECT_FALSE(may_be_retried(200, Headers{{"x-should-retry", "true", ""}}));
}

TEST(Retry, WaitsAsLongAsHeadersSay) {
  EXPECT_EQ(asked({{"Retry-After", "2", ""}, {"retry-after-ms", "20", ""}}), 20ms);
  EXPECT_EQ(asked({{"Retry-After", "2", ""}}), 2s);
  EXPECT_EQ(asked({{"Retry-After", " 1.5 ", ""}}), 1500ms);
  EXPECT_EQ(asked({{"retry-after-ms", "soon", ""}, {"Retry-After", "0", ""}}), 0s);
}

TEST(Retry, WaitsUntilADate) {
  EXPECT_EQ(asked({{"Retry-After", "Wed, 01 Jan 2025 00:00:09 GMT", ""}}), 9s);
  EXPECT_EQ(asked({{"Retry-After", "Tue, 31 Dec 2024 23:00:00 GMT", ""}}), 0s);
  EXPECT_EQ(asked({{"Retry-After", "Wed, 01 Jan 2025 00:00:31 GMT", ""}}), std::nullopt);
  EXPECT_TRUE(is_own(asked({{"Retry-After", "Wed, 01 Jan 2025 00:00:09 GMT+1", ""}})));
}

TEST(Retry, WaitsAsLongAsTheBodySays) {
  const auto body = [](std::string delay) {
    return R"({"error":{"code":429,"details":[{"@type":"type.googleapis.com/google.rpc.Help"},)"
           R"({"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":")" +
           delay + R"("}]}})";
  };
  EXPECT_EQ(asked({}, body("12s")), 12s);
  EXPECT_EQ(asked({}, "[" + body("0.8476s") + "]"), 848ms);
  EXPECT_EQ(asked({}, body("31s")), std::nullopt);
  EXPECT_EQ(asked({{"Retry-After", "1", ""}}, body("12s")), 1s);
  for (const std::string delay : {"", "s", "12", "-1s", "1e3s", "nans"}) {
    EXPECT_TRUE(is_own(asked({}, body(delay)))) << delay;
  }
  for (const char* other : {"", "[]", "{}", "[1]", R"({"error":"text"})", "<html>",
                            R"({"error":{"details":{}}})", R"({"error":{"details":["x"]}})"}) {
    EXPECT_TRUE(is_own(asked({}, other))) << other;
  }
}

TEST(Retry, DoesNotWaitLongerThanItsPatience) {
  EXPECT_EQ(asked({{"Retry-After", "30", ""}}), 30s);
  EXPECT_EQ(asked({{"Retry-After", "31", ""}}), std::nullopt);
  EXPECT_EQ(asked({{"Retry-After", "99999999999999999999", ""}}), std::nullopt);
}

TEST(Retry, DoublesItsOwnWaitUpToALimitAndGivesUp) {
  const RetryPolicy policy{.attempts = 9};
  for (unsigned attempt = 1; attempt < 9; ++attempt) {
    const auto full = std::min<std::chrono::milliseconds>(500ms * (1 << (attempt - 1)), 8s);
    for (const Wait wait : {wait_after_failure(policy, attempt),
                            wait_after(policy, attempt, {503, {}, {}}, FakeClock().now())}) {
      ASSERT_TRUE(wait);
      EXPECT_GE(*wait, full / 2);
      EXPECT_LE(*wait, full);
    }
  }
  EXPECT_FALSE(wait_after_failure(policy, 9));
  EXPECT_FALSE(wait_after(policy, 9, {503, {}, {}}, FakeClock().now()));
}

}  // namespace
}  // namespace quarry::ask
