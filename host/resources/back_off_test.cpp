#include "resources/back_off.h"

#include <gtest/gtest.h>

namespace quarry::resources {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class BackOffTest : public ::testing::Test {
 protected:
  /// Length of the pause after a failure; advances time to its end.
  seconds pause_after_failure(BackOff::Duration took = {}) {
    back_off_.failed("no route to host", took, now_);
    const auto pause = back_off_.pause(now_);
    if (!pause) return seconds(0);
    EXPECT_EQ(pause->why, "no route to host");
    EXPECT_TRUE(back_off_.pause(now_ + pause->left - std::chrono::milliseconds(1)));
    now_ += pause->left;
    EXPECT_FALSE(back_off_.pause(now_));
    return pause->left;
  }
  BackOff back_off_;
  Clock::Steady now_{seconds(1000)};
};

TEST_F(BackOffTest, ASourceThatNeverFailedMayBeAsked) {
  EXPECT_FALSE(back_off_.pause(now_));
}

TEST_F(BackOffTest, EachFailureInARowDoublesThePauseUpToALimit) {
  EXPECT_EQ(pause_after_failure(), seconds(10));
  EXPECT_EQ(pause_after_failure(), seconds(20));
  EXPECT_EQ(pause_after_failure(), seconds(40));
  for (int i = 0; i < 10; ++i) pause_after_failure();
  EXPECT_EQ(pause_after_failure(), minutes(10));
}

TEST_F(BackOffTest, APauseIsAtLeastAsLongAsTheFailureTook) {
  EXPECT_EQ(pause_after_failure(seconds(60)), seconds(60));
  EXPECT_EQ(pause_after_failure(seconds(60)), seconds(120));
  EXPECT_EQ(pause_after_failure(minutes(60)), minutes(10));
}

TEST_F(BackOffTest, AnAnswerEndsIt) {
  pause_after_failure();
  back_off_.failed("again", {}, now_);
  back_off_.answered();
  EXPECT_FALSE(back_off_.pause(now_));
  EXPECT_EQ(pause_after_failure(), seconds(10)) << "and the next one starts from the shortest";
}

}  // namespace
}  // namespace quarry::resources
