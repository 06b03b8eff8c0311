#include "services/growing_pool.h"

#include "base/testing/waiting.h"

#include <atomic>
#include <future>
#include <latch>
#include <memory>

#include <gtest/gtest.h>

namespace quarry::services {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

TEST(GrowingPool, StartsAThreadForEachJobThatFindsNoneIdle) {
  std::latch together(5);
  GrowingPool pool("test", 8, hours(1));
  EXPECT_EQ(pool.threads(), 0u);
  for (int i = 0; i < 4; ++i) pool.submit([&] { together.arrive_and_wait(); });
  together.arrive_and_wait();
  EXPECT_EQ(pool.threads(), 4u);
}

TEST(GrowingPool, StartsNoMoreThreadsThanItsBoundAndRunsEveryJob) {
  GrowingPool pool("test", 3, hours(1));
  std::latch done(100);
  std::atomic<std::size_t> at_once = 0;
  std::atomic<std::size_t> most = 0;
  for (int i = 0; i < 100; ++i) {
    pool.submit([&] {
      const std::size_t now = ++at_once;
      std::size_t seen = most;
      while (now > seen && !most.compare_exchange_weak(seen, now)) continue;
      --at_once;
      done.count_down();
    });
  }
  done.wait();
  EXPECT_LE(most, 3u);
  EXPECT_LE(pool.threads(), 3u);
}

TEST(GrowingPool, EndsAThreadThatHasNothingToDo) {
  GrowingPool pool("test", 4, milliseconds(1));
  for (int i = 0; i < 4; ++i) pool.submit([] {});
  wait_until([&] { return pool.threads() == 0; });
  std::promise<void> again;
  pool.submit([&] { again.set_value(); });
  again.get_future().wait();
}

TEST(GrowingPool, EndsTheThreadsOfABurstThoughOneJobAtATimeFollows) {
  GrowingPool pool("test", 8, milliseconds(200));
  std::latch burst(8);
  for (int i = 0; i < 8; ++i) pool.submit([&] { burst.arrive_and_wait(); });
  burst.wait();
  while (pool.threads() > 4) {
    std::promise<void> done;
    pool.submit([&] { done.set_value(); });
    done.get_future().wait();
  }
}

TEST(GrowingPool, DropsWhatWaitsAtShutdownAndFinishesWhatRuns) {
  GrowingPool pool("test", 1, hours(1));
  std::latch started(1);
  std::promise<void> release;
  std::atomic<bool> finished = false;
  const auto token = std::make_shared<int>();
  pool.submit([&] {
    started.count_down();
    release.get_future().wait();
    finished = true;
  });
  std::promise<void> dropped;
  struct TellsItsEnd {
    std::promise<void>& told;
    ~TellsItsEnd() { told.set_value(); }
  };
  pool.submit([token, tells = std::make_shared<TellsItsEnd>(dropped)] { ADD_FAILURE(); });
  started.wait();
  std::thread stopper([&] { pool.shutdown(); });
  dropped.get_future().wait();
  release.set_value();
  stopper.join();
  EXPECT_TRUE(finished);
  EXPECT_EQ(token.use_count(), 1);
  pool.submit([] { ADD_FAILURE(); });
}

}  // namespace
}  // namespace quarry::services
