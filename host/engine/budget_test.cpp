#include "engine/budget.h"

#include <gtest/gtest.h>

namespace quarry::engine {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_days;

TEST(Budget, AMonthBeginsAtMidnightOfItsFirstDay) {
  EXPECT_EQ(month_begin(sys_days(2026y / 11 / 21) + 8h), sys_days(2026y / 11 / 1));
  EXPECT_EQ(month_begin(sys_days(2026y / 12 / 1)), sys_days(2026y / 12 / 1));
  EXPECT_EQ(month_begin(sys_days(2026y / 12 / 1) - 1ns), sys_days(2026y / 11 / 1));
}

TEST(Budget, LeavesWhatIsNotSpent) {
  EXPECT_EQ(left_of({20'000'000'000}, {19'999'999'999}, {})->nanos, 1);
}

TEST(Budget, TellsBothFiguresAndWhenItResets) {
  const auto spent = left_of({20'000'000'000}, {20'010'000'000}, sys_days(2026y / 12 / 31) + 23h);
  ASSERT_FALSE(spent);
  EXPECT_EQ(spent.error().tag, "RateLimitError");
  EXPECT_EQ(spent.error().message, "this month's budget is used up: $20.01 of $20");
  EXPECT_EQ(spent.error().hint,
            "Raise model.monthly_budget_usd, or ask again after 2027-01-01T00:00:00Z.");
  EXPECT_FALSE(left_of({1}, {1}, {}));
}

}  // namespace
}  // namespace quarry::engine
