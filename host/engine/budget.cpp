#include "engine/budget.h"

#include "base/time_text.h"

namespace quarry::engine {
namespace {

std::chrono::year_month month_of(Clock::Wall now) {
  const std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(now));
  return day.year() / day.month();
}

Clock::Wall first_of(std::chrono::year_month month) {
  return std::chrono::sys_days(month / 1);
}

}  // namespace

Clock::Wall month_begin(Clock::Wall now) {
  return first_of(month_of(now));
}

Result<Money> left_of(Money budget, Money spent, Clock::Wall now) {
  if (spent < budget) return Money{budget.nanos - spent.nanos};
  const Clock::Wall reset = first_of(month_of(now) + std::chrono::months(1));
  return Error{
      Code::kResourceExhausted,
      "this month's budget is used up: $" + to_decimal(spent) + " of $" + to_decimal(budget),
      "Raise model.monthly_budget_usd, or ask again after " + rfc3339(reset) + "."}
      .tagged("RateLimitError");
}

}  // namespace quarry::engine
