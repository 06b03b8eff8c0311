#include "resources/refresh.h"

#include "resources/metadata.h"
#include "resources/testing/setting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::resources {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;

Result<Refresh> refresh(Json members) {
  members.update(kFake);
  return refresh_of(members);
}

TEST(Refresh, IsEveryQuarterOfAnHourUnlessSaidOtherwise) {
  EXPECT_EQ(refresh(Json::object())->after, minutes(15));
  EXPECT_FALSE(refresh(Json::object())->in_background);
}

TEST(Refresh, IsSaidInSecondsMinutesHoursOrDays) {
  EXPECT_EQ(refresh({{"refresh", "90s"}})->after, seconds(90));
  EXPECT_EQ(refresh({{"refresh", "15m"}})->after, minutes(15));
  EXPECT_EQ(refresh({{"refresh", "1h"}})->after, hours(1));
  EXPECT_EQ(refresh({{"refresh", "999999d"}})->after, hours(24) * 999'999);
  EXPECT_EQ(refresh({{"refresh", "always"}})->after, seconds(0));
  EXPECT_EQ(refresh({{"refresh", "never"}})->after, std::nullopt);
  EXPECT_TRUE(refresh({{"refreshInBackground", true}})->in_background);
}

TEST(Refresh, RefusesWhatIsNoTime) {
  for (const Json& value : {Json("15"), Json("m"), Json(""), Json("1w"), Json("-1m"), Json("1.5h"),
                            Json("9999999d"), Json(15), Json(nullptr)}) {
    const auto read = refresh({{"refresh", value}});
    ASSERT_FALSE(read) << value;
    EXPECT_EQ(read.error().tag, "ConfigError");
    EXPECT_EQ(read.error().details.at(0).field, "/refresh");
  }
  EXPECT_THAT(refresh({{"refreshInBackground", 1}}).error().message, HasSubstr("true or false"));
}

TEST(Refresh, IsDueWhenItsTimeIsOver) {
  const Clock::Wall now(hours(1'000'000));
  const Refresh quarter{.after = minutes(15)};
  EXPECT_FALSE(quarter.is_due(now - minutes(14), now));
  EXPECT_TRUE(quarter.is_due(now - minutes(15), now));
  EXPECT_TRUE((Refresh{.after = seconds(0)}).is_due(now, now));
  EXPECT_FALSE((Refresh{.after = std::nullopt}).is_due(now - hours(9999), now));
}

TEST(Refresh, IsDueWhenTheStateWasNeverCurrentOrTheClockWasWrong) {
  const Clock::Wall now(hours(1'000'000));
  EXPECT_TRUE((Refresh{.after = std::nullopt}).is_due(Clock::Wall(), now));
  EXPECT_TRUE(Refresh().is_due(now + hours(1), now));
}

TEST(Refresh, IsTheHostsOwnAndNoPluginSeesIt) {
  Json resource = kFake;
  resource["refresh"] = "1h";
  resource["refreshInBackground"] = true;
  EXPECT_EQ(without_host_members(resource), kFake);
  EXPECT_EQ(host_members(resource), (Json{{"refresh", "1h"}, {"refreshInBackground", true}}));
  EXPECT_EQ(source_of(resource), source_of(kFake));
}

}  // namespace
}  // namespace quarry::resources
