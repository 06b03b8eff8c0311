#include "services/minimum_speed.h"

#include <gtest/gtest.h>

namespace quarry::services {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
constexpr SpeedWatch::Time kStart{std::chrono::hours(1)};

TEST(SpeedWatch, FindsATransferThatDripsTooSlowAtTheEndOfAWindow) {
  SpeedWatch watch(kMinimumFetchSpeed);
  watch.begin(kStart);
  EXPECT_EQ(watch.due(), kStart + seconds(30));
  for (int second = 0; second < 30; ++second) {
    watch.add(999);
    EXPECT_FALSE(watch.is_too_slow(kStart + seconds(second)));
  }
  EXPECT_TRUE(watch.is_too_slow(kStart + seconds(30)));
  EXPECT_EQ(watch.text(), "slower than 1 kB/s for 30 s");
}

TEST(SpeedWatch, ChecksEachWindowByItself) {
  SpeedWatch watch(kMinimumFetchSpeed);
  watch.begin(kStart);
  watch.add(10'000'000);
  EXPECT_FALSE(watch.is_too_slow(kStart + seconds(30)));
  EXPECT_EQ(watch.due(), kStart + seconds(60));
  watch.add(29'999);
  EXPECT_TRUE(watch.is_too_slow(kStart + seconds(60)));
}

TEST(SpeedWatch, CountsOnlyWhatCameSinceItBegan) {
  SpeedWatch watch(kMinimumFetchSpeed);
  EXPECT_FALSE(watch.is_too_slow(kStart)) << "it has not begun";
  watch.add(30'000);
  watch.begin(kStart);
  EXPECT_TRUE(watch.is_too_slow(kStart + seconds(31)));
  watch.begin(kStart);
  watch.add(30'000);
  EXPECT_FALSE(watch.is_too_slow(kStart + seconds(31)));
}

TEST(SpeedWatch, WithoutAMinimumAnySpeedWillDo) {
  SpeedWatch watch(MinimumSpeed{});
  watch.begin(kStart);
  EXPECT_EQ(watch.due(), SpeedWatch::Time::max());
  EXPECT_FALSE(watch.is_too_slow(kStart + std::chrono::hours(9)));
}

TEST(SpeedWatch, SaysOddAmountsInTheSmallUnit) {
  EXPECT_EQ(SpeedWatch({1, milliseconds(50)}).text(), "slower than 1 B/s for 50 ms");
}

}  // namespace
}  // namespace quarry::services
