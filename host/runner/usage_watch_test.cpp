#include "runner/usage_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::runner {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Optional;

class Usage : public ::testing::Test {
 protected:
  std::optional<std::string> check(std::uint64_t calls, bool running = false) {
    return watch_.check(calls, running, now_);
  }

  UsageWatch::Steady::time_point now_{1h};
  std::chrono::nanoseconds processor_{0};
  std::uint64_t written_ = 0;
  std::optional<std::uint64_t> disk_ = 0;
  int walks_ = 0;
  UsageWatch watch_{{.processor = 30s, .disk = 1'600},
                    {.processor = [this] { return processor_; },
                     .written = [this] { return written_; },
                     .disk =
                         [this] {
                           walks_ += 1;
                           return disk_;
                         }}};
};

TEST_F(Usage, OfTheProcessorWithoutCallsIsBounded) {
  EXPECT_FALSE(check(0));
  processor_ = 30s;
  now_ += 15s;
  EXPECT_FALSE(check(0));
  processor_ = 60s;
  now_ += 15s;
  EXPECT_THAT(check(0), Optional(HasSubstr("computed for 60 s while none of its functions")));
}

TEST_F(Usage, OfTheProcessorInCallsIsNot) {
  for (std::uint64_t calls = 1; calls < 10; ++calls) {
    processor_ += 100s;
    now_ += 1s;
    EXPECT_FALSE(check(calls));
    processor_ += 100s;
    now_ += 1s;
    EXPECT_FALSE(check(calls, true));
  }
}

TEST_F(Usage, OfTheProcessorForAJobNowAndThenIsNot) {
  for (int hour = 0; hour < 10; ++hour) {
    EXPECT_FALSE(check(0));
    processor_ += 5min;
    now_ += 1h;
  }
}

TEST_F(Usage, OfTheDiskIsBounded) {
  disk_ = 1'601;
  EXPECT_FALSE(check(0));
  written_ = 100;
  EXPECT_FALSE(check(0));
  EXPECT_EQ(walks_, 0) << "only when much was written";
  written_ = 101;
  EXPECT_THAT(check(0), Optional(HasSubstr("in its directories, of at most")));
}

TEST_F(Usage, OfTheDiskThatCannotBeMeasuredIsTooMuch) {
  disk_.reset();
  written_ = 101;
  EXPECT_THAT(check(0), Optional(HasSubstr("than can be measured")));
}

TEST_F(Usage, IsCheckedSeldomWithoutCalls) {
  check(1);
  EXPECT_EQ(watch_.next(), 1s);
  for (int i = 0; i < 10; ++i) check(1);
  EXPECT_EQ(watch_.next(), UsageWatch::kLongest);
  check(2);
  EXPECT_EQ(watch_.next(), 1s);
}

}  // namespace
}  // namespace quarry::runner
