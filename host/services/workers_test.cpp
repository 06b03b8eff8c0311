#include "services/workers.h"

#include "base/testing/waiting.h"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <future>
#include <latch>
#include <pthread.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace quarry::services {
namespace {

std::string thread_name() {
  char name[16] = {};
  pthread_getname_np(pthread_self(), name, sizeof name);
  return name;
}

TEST(WorkerPool, RunsEveryJobOnce) {
  WorkerPool pool(3);
  std::latch done(500);
  std::atomic<int> calls = 0;
  for (int i = 0; i < 500; ++i) {
    pool.submit([&] {
      ++calls;
      done.count_down();
    });
  }
  done.wait();
  EXPECT_EQ(calls, 500);
}

TEST(WorkerPool, RunsAsManyJobsAtOnceAsItSays) {
  constexpr std::size_t kJobs = 4;
  std::barrier together(static_cast<std::ptrdiff_t>(kJobs + 1));
  WorkerPool pool(kJobs);
  for (std::size_t i = 0; i < kJobs; ++i) pool.submit([&] { together.arrive_and_wait(); });
  together.arrive_and_wait();
}

TEST(WorkerPool, NamesItsThreadsAndMakesThemNicer) {
  WorkerPool pool(1);
  std::promise<std::pair<std::string, int>> seen;
  pool.submit([&] { seen.set_value({thread_name(), getpriority(PRIO_PROCESS, 0)}); });
  const auto [name, nice] = seen.get_future().get();
  EXPECT_EQ(name, "quarry-work-1");
  EXPECT_EQ(nice, std::min(19, getpriority(PRIO_PROCESS, 0) + 5));
}

TEST(WorkerPool, MakesAReplacementNoNicerThanTheWorkerThatStartsIt) {
  std::promise<int> seen;
  WorkerPool pool(1);
  pool.submit([&] {
    std::promise<int> inner;
    const BlockedWorker waits;
    pool.submit([&] { inner.set_value(getpriority(PRIO_PROCESS, 0)); });
    seen.set_value(inner.get_future().get());
  });
  EXPECT_EQ(seen.get_future().get(), std::min(19, getpriority(PRIO_PROCESS, 0) + 5));
}

TEST(WorkerPool, ReplacesWorkersThatWait) {
  std::latch blocked(8);
  std::latch release(1);
  std::latch ran(2);
  WorkerPool pool(2);
  for (int i = 0; i < 8; ++i) {
    pool.submit([&] {
      const BlockedWorker waits;
      blocked.count_down();
      release.wait();
    });
  }
  blocked.wait();
  for (int i = 0; i < 2; ++i) pool.submit([&] { ran.arrive_and_wait(); });
  ran.wait();
  EXPECT_LE(pool.threads(), 10u);
  release.count_down();
}

TEST(WorkerPool, RunsNoMoreJobsAtOnceAfterReplacing) {
  std::atomic<int> at_once = 0;
  std::atomic<int> most = 0;
  std::latch done(200);
  WorkerPool pool(1);
  for (int i = 0; i < 4; ++i) pool.submit([] { const BlockedWorker waits; });
  for (int i = 0; i < 200; ++i) {
    pool.submit([&] {
      most = std::max<int>(most, ++at_once);
      std::this_thread::yield();
      --at_once;
      done.count_down();
    });
  }
  done.wait();
  EXPECT_EQ(most, 1);
}

TEST(WorkerPool, EndsReplacementsThatHaveNothingToDo) {
  std::latch replaced(1);
  WorkerPool pool(1, std::chrono::milliseconds(1));
  pool.submit([&] {
    const BlockedWorker waits;
    replaced.wait();
  });
  pool.submit([&] { replaced.count_down(); });
  replaced.wait();
  wait_until([&] { return pool.threads() == 1; });
}

TEST(WorkerPool, EndsTheReplacementsOfABurstThoughOneJobAtATimeFollows) {
  WorkerPool pool(1, std::chrono::milliseconds(200));
  std::latch burst(8);
  for (int i = 0; i < 8; ++i) {
    pool.submit([&] {
      const BlockedWorker waits;
      burst.arrive_and_wait();
    });
  }
  burst.wait();
  while (pool.threads() > 4) {
    std::promise<void> done;
    pool.submit([&] { done.set_value(); });
    done.get_future().wait();
  }
}

TEST(BlockedWorker, DoesNothingOnOtherThreadsAndInsideAnother) {
  EXPECT_FALSE(BlockedWorker::can_be());
  const BlockedWorker outside;
  WorkerPool pool(1);
  std::promise<std::pair<bool, bool>> seen;
  pool.submit([&] {
    const bool before = BlockedWorker::can_be();
    const BlockedWorker waits;
    const BlockedWorker nested;
    seen.set_value({before, BlockedWorker::can_be()});
  });
  EXPECT_EQ(seen.get_future().get(), std::pair(true, false));
}

/// A pool of one worker, which is busy until the promise is set.
struct BusyPool {
  std::promise<void> release;
  std::latch started{1};
  std::atomic<bool> finished = false;
  WorkerPool pool{1};

  BusyPool() {
    pool.submit([this, released = release.get_future().share()] {
      started.count_down();
      released.wait();
      finished = true;
    });
    started.wait();
  }

  /// Shuts the pool down, and frees its worker once no more jobs are accepted. Returns how many of
  /// the jobs `job` were accepted meanwhile.
  int shut_down(const std::function<void()>& job) {
    int accepted = 0;
    std::thread stopper([this] { pool.shutdown(); });
    while (pool.try_submit(job)) ++accepted;
    release.set_value();
    stopper.join();
    return accepted;
  }
};

TEST(WorkerPool, DropsWaitingJobsAtShutdownAndFinishesTheRunningOnes) {
  BusyPool busy;
  std::atomic<bool> queued_ran = false;
  const auto token = std::make_shared<int>();
  busy.pool.submit([&queued_ran, token] { queued_ran = true; });
  busy.shut_down([] {});
  EXPECT_TRUE(busy.finished);
  EXPECT_FALSE(queued_ran);
  EXPECT_EQ(token.use_count(), 1);
}

TEST(WorkerPool, RunsEachAcceptedJobOnceThoughItShutsDown) {
  BusyPool busy;
  std::atomic<int> runs = 0;
  const auto job = [&runs] { ++runs; };
  ASSERT_TRUE(busy.pool.try_submit(job));
  const int accepted = busy.shut_down(job);
  EXPECT_EQ(runs, accepted + 1);
}

TEST(WorkerPool, RefusesTheJobsOfJobsThatRunWhileItShutsDown) {
  BusyPool busy;
  std::atomic<int> refused = 0;
  const auto job = [&] { refused += busy.pool.try_submit([] {}) ? 0 : 1; };
  ASSERT_TRUE(busy.pool.try_submit(job));
  const int accepted = busy.shut_down(job);
  EXPECT_EQ(refused, accepted + 1);
  EXPECT_FALSE(busy.pool.try_submit([] {}));
}

TEST(WorkerPool, HasOneThreadACoreByDefault) {
  EXPECT_EQ(WorkerPool().concurrency(), std::max(1u, std::thread::hardware_concurrency()));
}

TEST(NamedLoop, RunsUnderItsNameAndIsJoined) {
  std::string name;
  {
    NamedLoop loop("a-very-long-loop-name", [&] { name = thread_name(); });
  }
  EXPECT_EQ(name, "a-very-long-loo");
}

}  // namespace
}  // namespace quarry::services
