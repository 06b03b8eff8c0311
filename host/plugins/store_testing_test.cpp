#include "plugins/store_testing.h"

#include <thread>

#include <gmock/gmock.h>

namespace quarry::plugins {
namespace {

TEST(FakeStore, NeverPutsAsideMoreThanALimit) {
  FakeStore store;
  std::atomic<int> reserved = 0;
  {
    std::vector<std::jthread> hosts;
    for (int host = 0; host < 4; ++host) {
      hosts.emplace_back([&, host] {
        for (int i = 0; i < 100; ++i) {
          const Reservation wanted{.id = std::to_string(host) + "-" + std::to_string(i),
                                   .token = "t",
                                   .project = "docs",
                                   .amount = {10},
                                   .token_limit = Money{1000},
                                   .project_limit = {},
                                   .at = {},
                                   .expires = {}};
          reserved += store.reserve({}, wanted)->outcome == Reserved::Outcome::kReserved ? 1 : 0;
        }
      });
    }
  }
  EXPECT_EQ(reserved, 100);
  EXPECT_EQ(store.calls(), 400);
}

TEST(FakeStore, FailsAsItIsTold) {
  FakeStore store;
  store.fail_with(Error(Code::kUnavailable, "the database is away"));
  EXPECT_EQ(store.projects({}).error().message, "the database is away");
  EXPECT_EQ(store.settle({}, "r", {}).error().code, Code::kUnavailable);
  store.fail_with({});
  EXPECT_TRUE(store.projects({}));
}

TEST(FakeStore, DoesNothingForACallThatIsOver) {
  FakeStore store;
  std::stop_source stop;
  stop.request_stop();
  const Call over{.stop = stop.get_token(), .deadline = {}, .progress = {}};
  EXPECT_EQ(store.create_project(over, {"docs", {}, {}}).error().code, Code::kCancelled);
  EXPECT_TRUE(store.projects({})->empty());
}

}  // namespace
}  // namespace quarry::plugins
