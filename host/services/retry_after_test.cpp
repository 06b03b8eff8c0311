#include "services/retry_after.h"

#include <gtest/gtest.h>

namespace quarry::services {
namespace {

using namespace std::chrono_literals;

TEST(RetryAfter, IsANumberOfSecondsOrADate) {
  const auto now = std::chrono::system_clock::from_time_t(784111777);  // of the date below
  const auto wait = [&](const char* value) {
    return retry_after(std::vector<HttpHeader>{{"Date", "x"}, {"Retry-After", value}}, now);
  };
  EXPECT_EQ(wait("3"), 3s);
  EXPECT_EQ(wait(" 0.0015 "), 2ms);
  EXPECT_EQ(wait("Sun, 06 Nov 1994 08:49:40 GMT"), 3s);
  EXPECT_EQ(wait("Sun, 06 Nov 1994 08:49:37 GMT"), 0s);
  EXPECT_EQ(wait("Sat, 05 Nov 1994 08:49:37 GMT"), 0s);
  EXPECT_EQ(wait("Fri, 31 Dec 9999 23:59:59 GMT"), 1'000'000'000s);
  EXPECT_EQ(wait("1e3"), std::nullopt);
  EXPECT_EQ(wait("-1"), std::nullopt);
  EXPECT_EQ(wait("soon"), std::nullopt);
  EXPECT_EQ(wait(""), std::nullopt);
  EXPECT_EQ(wait("99999999999999999999"), 1'000'000'000s);
  EXPECT_EQ(retry_after({}, now), std::nullopt);
}

}  // namespace
}  // namespace quarry::services
