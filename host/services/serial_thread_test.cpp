#include "services/serial_thread.h"

#include <atomic>
#include <latch>
#include <quarry_test.h>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::services {
namespace {

TEST(SerialThread, RunsJobsInOrderOnOneOtherThread) {
  std::vector<int> order;
  std::vector<std::thread::id> threads;
  {
    SerialThread thread("test-serial");
    for (int i = 0; i < 3; ++i) {
      thread.post([&, i] {
        order.push_back(i);
        threads.push_back(std::this_thread::get_id());
      });
    }
  }
  EXPECT_EQ(order, (std::vector{0, 1, 2}));
  EXPECT_EQ(threads, std::vector(3, threads.front()));
  EXPECT_NE(threads.front(), std::this_thread::get_id());
}

TEST(SerialThread, PostDoesNotWaitForARunningJob) {
  std::latch begun(1);
  std::latch may_end(1);
  std::atomic<int> ended = 0;
  SerialThread thread("test-serial");
  thread.post([&] {
    begun.count_down();
    may_end.wait();
    ++ended;
  });
  begun.wait();
  thread.post([&] { ++ended; });
  EXPECT_EQ(ended, 0);
  may_end.count_down();
  thread.close();
  EXPECT_EQ(ended, 2);
}

TEST(SerialThread, CloseAwaitsJobsOfJobs) {
  int ended = 0;
  SerialThread thread("test-serial");
  thread.post([&] { thread.post([&] { thread.post([&] { ++ended; }); }); });
  thread.close();
  EXPECT_EQ(ended, 1);
}

TEST(SerialThread, AClosedOneRunsJobsOnTheCallingThread) {
  SerialThread thread("test-serial");
  thread.close();
  std::thread::id ran;
  thread.post([&] { ran = std::this_thread::get_id(); });
  EXPECT_EQ(ran, std::this_thread::get_id());
  thread.close();
}

TEST(SerialThread, TakesJobsFromManyThreadsWhileItCloses) {
  std::atomic<int> ended = 0;
  {
    SerialThread thread("test-serial");
    std::latch begun(4);
    std::vector<std::jthread> posting;
    for (int i = 0; i < 4; ++i) {
      posting.emplace_back([&] {
        begun.arrive_and_wait();
        for (int job = 0; job < 100; ++job) thread.post([&] { ++ended; });
      });
    }
    begun.wait();
    thread.close();
    posting.clear();
  }
  EXPECT_EQ(ended, 400);
}

}  // namespace
}  // namespace quarry::services
