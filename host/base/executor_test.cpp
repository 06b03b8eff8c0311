#include "base/executor.h"

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace quarry {
namespace {

/// A thread a job: the widest interleaving there is.
class ThreadPerJob final : public Executor {
 public:
  ~ThreadPerJob() override {
    for (std::thread& thread : threads_) thread.join();
  }
  void submit(std::function<void()> job) override { threads_.emplace_back(std::move(job)); }
  std::size_t concurrency() const override { return 4; }

 private:
  std::vector<std::thread> threads_;
};

TEST(ParallelFor, CallsEveryIndexOnce) {
  ThreadPerJob executor;
  std::vector<std::atomic<int>> calls(1000);
  parallel_for(executor, calls.size(), [&](std::size_t i) { ++calls[i]; });
  for (const auto& count : calls) EXPECT_EQ(count, 1);
}

TEST(ParallelFor, WorksWithoutHelpers) {
  InlineExecutor executor;
  int calls = 0;
  parallel_for(executor, 3, [&](std::size_t) { ++calls; });
  parallel_for(executor, 0, [&](std::size_t) { ++calls; });
  EXPECT_EQ(calls, 3);
}

}  // namespace
}  // namespace quarry
