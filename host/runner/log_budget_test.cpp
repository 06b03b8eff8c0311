#include "runner/log_budget.h"

#include <gtest/gtest.h>

namespace quarry::runner {
namespace {

using namespace std::chrono_literals;

TEST(LogBudget, HasSomeAtOnceAndMoreWithTime) {
  LogBudget budget;
  const auto now = LogBudget::Steady::now();
  EXPECT_TRUE(budget.take(LogBudget::kMost, now));
  EXPECT_FALSE(budget.take(1'000, now));
  EXPECT_TRUE(budget.take(LogBudget::kPerSecond, now + 2s));
  EXPECT_FALSE(budget.take(LogBudget::kMost + 1, now + 24h)) << "it does not grow for ever";
}

TEST(LogBudget, DoesNotGrowByATimeThatWasReadBeforeAnotherThreads) {
  LogBudget budget;
  const auto now = LogBudget::Steady::now();
  EXPECT_TRUE(budget.take(LogBudget::kMost, now + 2s));
  EXPECT_FALSE(budget.take(1, now + 1s));
}

TEST(LogBudget, CountsWhatItRefused) {
  LogBudget budget;
  const auto now = LogBudget::Steady::now();
  EXPECT_EQ(budget.take_refused(), 0u);
  for (int i = 0; i < 205; ++i) budget.take(1u << 20, now);
  EXPECT_EQ(budget.take_refused(), 204u << 20);
  EXPECT_EQ(budget.take_refused(), 0u);
}

}  // namespace
}  // namespace quarry::runner
