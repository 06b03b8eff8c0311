#include "store_sql/pool.h"

#include "store_sql/testing/fake_database.h"

#include <quarry/testing.hpp>

#include <atomic>
#include <latch>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

namespace quarry::store_sql {
namespace {

class Connections : public ::testing::Test {
 protected:
  FakeDatabase database_;
  Pool pool_{database_, 2};
  quarry::testing::FakeCall call_;
};

TEST_F(Connections, AreNeverMoreThanAsManyAsMayBe) {
  std::atomic<int> taken = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        quarry::testing::FakeCall call;
        for (int round = 0; round < 50; ++round) {
          auto lease = pool_.take(Call(call.get()));
          ASSERT_TRUE(lease);
          EXPECT_LE(++taken, 2);
          --taken;
        }
      });
    }
  }
  EXPECT_LE(database_.most_at_once(), 2);
}

TEST_F(Connections, AreWaitedForWhileTheCallIsWanted) {
  auto first = pool_.take(Call(call_.get()));
  auto second = pool_.take(Call(call_.get()));
  quarry::testing::FakeCall waiting;
  waiting.cancel_after(3, QUARRY_DEADLINE_EXCEEDED);
  const auto none = pool_.take(Call(waiting.get()));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.failure().status, QUARRY_DEADLINE_EXCEEDED);
}

TEST_F(Connections, AreHandedOnToWhoWaits) {
  auto first = pool_.take(Call(call_.get()));
  auto second = pool_.take(Call(call_.get()));
  std::latch waiting(1);
  std::jthread waiter([&] {
    quarry::testing::FakeCall call;
    waiting.count_down();
    EXPECT_TRUE(pool_.take(Call(call.get())));
  });
  waiting.wait();
  (*first).reset();
}

TEST_F(Connections, ThatCannotBeMadeTakeNoSlot) {
  database_.refusal = Failure{QUARRY_UNAVAILABLE, "away", {}, {}};
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(pool_.take(Call(call_.get())));
  database_.refusal.reset();
  EXPECT_TRUE(pool_.take(Call(call_.get())));
}

TEST_F(Connections, ThatAreLostAreNotUsedAgain) {
  database_.faults = {{"begin", Connection::State::kLost}};
  {
    const auto lease = pool_.take(Call(call_.get()));
    EXPECT_FALSE((*lease)->begin(Durability::kNow));
  }
  EXPECT_TRUE((*pool_.take(Call(call_.get())))->begin(Durability::kNow));
  EXPECT_THAT(database_.steps(), ::testing::ElementsAre("connect", "begin", "connect", "begin"));
}

TEST_F(Connections, ThatNobodyUsesCanBeClosed) {
  static_cast<void>(pool_.take(Call(call_.get())));
  pool_.close_idle();
  static_cast<void>(pool_.take(Call(call_.get())));
  EXPECT_THAT(database_.steps(), ::testing::ElementsAre("connect", "connect"));
  EXPECT_EQ(database_.most_at_once(), 1);
}

}  // namespace
}  // namespace quarry::store_sql
