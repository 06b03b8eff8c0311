#include "resource-git/speed.h"

#include <quarry/testing.hpp>

#include <gtest/gtest.h>

namespace quarry::resource_git {
namespace {

using std::chrono::seconds;

TEST(GitSpeed, EndsACallBelowItsMinimumSpeed) {
  const quarry::testing::FakeHost host;
  quarry::testing::FakeCall outer;
  WatchedCall watched(Host(host.get()), Call(outer.get()), MinimumSpeed{});
  const auto begin = std::chrono::steady_clock::now();
  watched.set_received(40'000);
  EXPECT_FALSE(watched.look(begin + seconds(29))) << "the window has not ended";
  EXPECT_FALSE(watched.look(begin + seconds(31)));
  watched.set_received(69'999);
  EXPECT_FALSE(watched.look(begin + seconds(60)));
  EXPECT_TRUE(watched.look(begin + seconds(62)));
  EXPECT_TRUE(watched.too_slow());
  EXPECT_EQ(watched.call().get()->state(watched.call().get()), QUARRY_DEADLINE_EXCEEDED);
}

TEST(GitSpeed, IsOverWithTheOuterCallAndNeverWithoutAMinimum) {
  const quarry::testing::FakeHost host;
  quarry::testing::FakeCall outer;
  WatchedCall watched(Host(host.get()), Call(outer.get()), std::nullopt);
  EXPECT_FALSE(watched.look(std::chrono::steady_clock::now() + seconds(1000)));
  outer.cancel_after(1);
  EXPECT_EQ(watched.call().get()->state(watched.call().get()), QUARRY_OK);
  EXPECT_EQ(watched.call().get()->state(watched.call().get()), QUARRY_CANCELLED);
}

TEST(GitSpeed, LeavesTheWorkOfThisMachineAlone) {
  const quarry::testing::FakeHost host;
  quarry::testing::FakeCall outer;
  WatchedCall watched(Host(host.get()), Call(outer.get()), MinimumSpeed{});
  watched.end_transfer();
  EXPECT_FALSE(watched.look(std::chrono::steady_clock::now() + seconds(1000)));
}

}  // namespace
}  // namespace quarry::resource_git
