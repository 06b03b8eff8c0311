#include "base/time_text.h"

#include <gtest/gtest.h>

namespace quarry {
namespace {

std::string at(std::chrono::milliseconds since_1970) {
  return rfc3339(Clock::Wall(since_1970));
}

TEST(TimeTextTest, IsInUtcToTheSecond) {
  using namespace std::chrono_literals;
  EXPECT_EQ(at(0ms), "1970-01-01T00:00:00Z");
  EXPECT_EQ(at(1'709'251'199'999ms), "2024-02-29T23:59:59Z");
  EXPECT_EQ(at(1'798'761'600'000ms), "2027-01-01T00:00:00Z");
}

TEST(TimeTextTest, RoundsDownBefore1970) {
  EXPECT_EQ(at(std::chrono::milliseconds(-1)), "1969-12-31T23:59:59Z");
}

}  // namespace
}  // namespace quarry
