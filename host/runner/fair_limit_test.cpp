#include "runner/fair_limit.h"

#include <gtest/gtest.h>

namespace quarry::runner {
namespace {

using namespace std::chrono_literals;

/// A limit of 1 s for a runner on a machine of two processors, whose clock and whose threads the
/// test moves. The host looks every 20 ms unless it is kept waiting.
class FairLimitTest : public ::testing::Test {
 protected:
  /// Lets `time` pass, and in each part of it the threads of the runner run and wait by these
  /// parts. True if the limit has passed by then.
  bool pass(std::chrono::milliseconds time, double ran, double waited) {
    for (; time > 0ms; time -= 20ms) {
      now_ += 20ms;
      times_.ran += std::chrono::duration_cast<std::chrono::nanoseconds>(20ms * ran);
      times_.waited += std::chrono::duration_cast<std::chrono::nanoseconds>(20ms * waited);
      if (limit_.has_passed(now_)) return true;
    }
    return false;
  }
  bool sleep(std::chrono::milliseconds time) { return pass(time, 0, 0); }

  FairLimit::Steady::time_point now_ = FairLimit::Steady::now();
  ProcessorTimes times_{5s, 7s};  // of calls before
  FairLimit limit_{1000ms, {.interval = 20ms, .times = [this] { return times_; }, .processors = 2}};
};

TEST_F(FairLimitTest, BeginsWithTheFirstLook) {
  now_ += 1h;
  EXPECT_FALSE(limit_.has_passed(now_));
  EXPECT_FALSE(sleep(980ms));
  EXPECT_TRUE(sleep(20ms));
}

TEST_F(FairLimitTest, PassesForARunnerThatSleeps) {
  limit_.begin(now_);
  EXPECT_FALSE(sleep(980ms));
  EXPECT_TRUE(sleep(20ms));
}

TEST_F(FairLimitTest, PassesForARunnerThatComputesOnAnIdleMachine) {
  limit_.begin(now_);
  EXPECT_FALSE(pass(980ms, 1, 0));
  EXPECT_TRUE(pass(20ms, 1, 0));
}

TEST_F(FairLimitTest, PassesForARunnerWhoseManyThreadsKeepEachOtherWaiting) {
  limit_.begin(now_);
  EXPECT_FALSE(pass(980ms, 2, 62));
  EXPECT_TRUE(pass(20ms, 2, 62));
}

TEST_F(FairLimitTest, LeavesOutTheTimeForWhichTheRunnerHadNoProcessor) {
  limit_.begin(now_);
  EXPECT_FALSE(pass(5s, 0.05, 0.95));
  EXPECT_FALSE(sleep(740ms)) << "it has run for 250 ms";
  EXPECT_TRUE(sleep(40ms));
}

TEST_F(FairLimitTest, PassesOnABusyMachineAfterAsMuchProcessorTime) {
  limit_.begin(now_);
  EXPECT_FALSE(pass(9900ms, 0.1, 0.9));
  EXPECT_TRUE(pass(200ms, 0.1, 0.9));
}

TEST_F(FairLimitTest, IsExtendedByThirtySecondsAtMost) {
  limit_.begin(now_);
  EXPECT_FALSE(pass(30'980ms, 0, 1));
  EXPECT_TRUE(pass(20ms, 0, 1));
}

TEST_F(FairLimitTest, CountsATimeForWhichManyThreadsWaitOnce) {
  limit_.begin(now_);
  EXPECT_FALSE(pass(1000ms, 0, 20));
  EXPECT_FALSE(sleep(980ms));
  EXPECT_TRUE(sleep(20ms));
}

TEST_F(FairLimitTest, IsExtendedByAWaitThatEndsLater) {
  limit_.begin(now_);
  EXPECT_FALSE(pass(100ms, 0, 1));
  EXPECT_FALSE(sleep(920ms)) << "by 100 ms";
  times_.waited += 500ms;
  EXPECT_FALSE(sleep(560ms));
  EXPECT_TRUE(sleep(20ms));
}

TEST_F(FairLimitTest, LeavesOutTheTimeForWhichTheHostDidNotLook) {
  limit_.begin(now_);
  now_ += 10s;
  EXPECT_FALSE(limit_.has_passed(now_));
  EXPECT_FALSE(sleep(960ms));
  EXPECT_TRUE(sleep(40ms));
}

TEST_F(FairLimitTest, CountsALookThatIsLittleLate) {
  limit_.begin(now_);
  for (int i = 0; i < 24; ++i) {
    now_ += 40ms;
    EXPECT_FALSE(limit_.has_passed(now_)) << i;
  }
  now_ += 40ms;
  EXPECT_TRUE(limit_.has_passed(now_));
}

TEST_F(FairLimitTest, BeginsAgain) {
  limit_.begin(now_);
  EXPECT_FALSE(pass(900ms, 0, 1));
  limit_.begin(now_);
  EXPECT_FALSE(sleep(980ms));
  EXPECT_TRUE(sleep(20ms));
}

TEST_F(FairLimitTest, IsWallClockWhereTheSystemDoesNotKeepProcessorTimes) {
  FairLimit plain(1000ms, {});
  plain.begin(now_);
  for (int i = 1; i < 50; ++i) EXPECT_FALSE(plain.has_passed(now_ + i * 20ms)) << i;
  EXPECT_TRUE(plain.has_passed(now_ + 1s));
}

}  // namespace
}  // namespace quarry::runner
