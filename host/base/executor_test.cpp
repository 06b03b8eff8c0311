#include "base/testing/test_executors.h"

#include <atomic>
#include <vector>

#include <gtest/gtest.h>

namespace quarry {
namespace {

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
