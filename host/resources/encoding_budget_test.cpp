#include "resources/encoding_budget.h"

#include "base/file.h"
#include "resources/testing/setting.h"

#include <gtest/gtest.h>

namespace quarry::resources {
namespace {

class EncodingBudgetTest : public ::testing::Test {
 protected:
  [[nodiscard]] EncodingBudget budget(std::uint64_t a_day) const {
    return {temp_.path() / "encoded", a_day, clock_};
  }
  TempDirectory temp_;
  TestClock clock_;
};

TEST_F(EncodingBudgetTest, WithoutALimitCountsNothing) {
  EXPECT_EQ(budget(0).reserve(1'000'000).value(), 1'000'000u);
  EXPECT_TRUE(entries_of(temp_.path()).empty());
}

TEST_F(EncodingBudgetTest, IsUsedUpByAllWhoShareIt) {
  EXPECT_EQ(budget(100).reserve(60).value(), 60u);
  EXPECT_EQ(budget(100).reserve(60).value(), 40u) << "another process";
  EXPECT_EQ(budget(100).reserve(60).value(), 0u);
  EXPECT_EQ(budget(110).reserve(60).value(), 10u) << "a raised limit counts at once";
}

TEST_F(EncodingBudgetTest, BeginsAgainEachDay) {
  const EncodingBudget one = budget(10);
  EXPECT_EQ(one.reserve(10).value(), 10u);
  clock_.advance(one.left_of_day() - std::chrono::seconds(1));
  EXPECT_EQ(one.reserve(10).value(), 0u);
  EXPECT_LE(one.left_of_day().count(), 2);
  clock_.advance(std::chrono::seconds(2));
  EXPECT_EQ(one.reserve(10).value(), 10u);
}

TEST_F(EncodingBudgetTest, TakesAnUnreadableCountAsNone) {
  write_file(temp_.path() / "encoded", "no numbers");
  EXPECT_EQ(budget(10).reserve(20).value(), 10u);
  EXPECT_EQ(budget(10).reserve(20).value(), 0u);
}

}  // namespace
}  // namespace quarry::resources
