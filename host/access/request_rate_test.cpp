#include "access/request_rate.h"

#include <gtest/gtest.h>

namespace quarry::access {
namespace {

using std::chrono::milliseconds;

TEST(RequestRate, TheLimitIsWhatAMinuteTakes) {
  EXPECT_TRUE(judge_rate({0, 59}, 60, milliseconds(0)).within);
  EXPECT_FALSE(judge_rate({0, 60}, 60, milliseconds(0)).within);
}

TEST(RequestRate, TheMinuteBeforeCountsAsMuchAsIsLeftOfIt) {
  EXPECT_FALSE(judge_rate({60, 30}, 60, milliseconds(29'000)).within);
  EXPECT_TRUE(judge_rate({60, 29}, 60, milliseconds(30'000)).within);
}

TEST(RequestRate, TwoMinutesNeverMeetInADoubleBurst) {
  EXPECT_FALSE(judge_rate({60, 0}, 60, milliseconds(0)).within);
}

TEST(RequestRate, SaysHowManyAreLeft) {
  EXPECT_EQ(judge_rate({0, 0}, 60, milliseconds(0)).remaining, 59u);
  EXPECT_EQ(judge_rate({30, 10}, 60, milliseconds(30'000)).remaining, 34u);
  EXPECT_EQ(judge_rate({0, 0}, 60, milliseconds(12'000)).reset, milliseconds(48'000));
}

/// A client that waits for retry_after is admitted, and not if it comes a second earlier.
TEST(RequestRate, SaysWhenToComeAgain) {
  for (const MinuteCounts counts : {MinuteCounts{60, 0}, MinuteCounts{60, 30}, MinuteCounts{0, 60},
                                    MinuteCounts{10, 90}, MinuteCounts{1000, 1000}}) {
    const RateVerdict verdict = judge_rate(counts, 60, milliseconds(500));
    ASSERT_FALSE(verdict.within);
    const auto judge_after = [&](milliseconds wait) {
      const milliseconds at = milliseconds(500) + wait;
      if (at < milliseconds(60'000)) return judge_rate(counts, 60, at).within;
      return judge_rate({counts.now, 0}, 60, at - milliseconds(60'000)).within;
    };
    EXPECT_TRUE(judge_after(verdict.retry_after)) << counts.before << " " << counts.now;
    if (verdict.retry_after > milliseconds(1000)) {
      EXPECT_FALSE(judge_after(verdict.retry_after - milliseconds(1000)))
          << counts.before << " " << counts.now;
    }
  }
}

TEST(RequestRate, AClockThatIsOutOfItsMinuteDoesNoHarm) {
  EXPECT_TRUE(judge_rate({60, 0}, 60, milliseconds(70'000)).within);
  EXPECT_FALSE(judge_rate({60, 0}, 60, milliseconds(-5)).within);
}

}  // namespace
}  // namespace quarry::access
