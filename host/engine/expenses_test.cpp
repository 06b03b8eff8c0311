#include "engine/expenses.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace quarry::engine {
namespace {

ask::Record record(const std::string& id, std::int64_t tokens) {
  ask::Record out;
  out.id = id;
  out.question = "about " + id;
  out.calls.emplace_back();
  out.calls.back().usage.input = tokens;
  return out;
}

struct ExpensesTest : ::testing::Test {
  /// "q1 5" for an expense of five tokens, "nothing" for none.
  void take(const std::string& question, bool runs) {
    expenses.take(question, runs, [this](std::optional<Expense> expense) {
      taken.push_back(expense ? expense->question + " " + std::to_string(*expense->input_tokens)
                              : "nothing");
    });
  }
  Expenses expenses;
  std::vector<std::string> taken;
};

TEST_F(ExpensesTest, AreTakenOnceAfterTheEnd) {
  expenses.add(record("q1", 5));
  take("q1", false);
  take("q1", false);
  EXPECT_EQ(taken, (std::vector<std::string>{"about q1 5", "nothing"}));
}

TEST_F(ExpensesTest, OfARunningQuestionAreTakenAtItsEnd) {
  take("q1", true);
  expenses.add(record("q2", 6));
  EXPECT_TRUE(taken.empty());
  expenses.add(record("q1", 5));
  EXPECT_EQ(taken, (std::vector<std::string>{"about q1 5"}));
  take("q1", false);
  EXPECT_EQ(taken.back(), "nothing");
}

TEST_F(ExpensesTest, OfTwoCallsWithTheMostTokensAreTheMost) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  ask::Record both = record("q1", kMost);
  both.calls.push_back(both.calls.front());
  expenses.add(both);
  take("q1", false);
  EXPECT_EQ(taken, (std::vector<std::string>{"about q1 " + std::to_string(kMost)}));
}

TEST_F(ExpensesTest, WhoComesSecondGetsNothing) {
  take("q1", true);
  take("q1", true);
  EXPECT_EQ(taken, (std::vector<std::string>{"nothing"}));
  expenses.add(record("q1", 5));
  EXPECT_EQ(taken.back(), "about q1 5");
}

TEST_F(ExpensesTest, OldestAreForgottenBeyondTheLimit) {
  for (std::size_t i = 0; i <= Expenses::kMost; ++i) {
    expenses.add(record(std::to_string(i), 1));
  }
  take("0", false);
  take("1", false);
  EXPECT_EQ(taken, (std::vector<std::string>{"nothing", "about 1 1"}));
}

}  // namespace
}  // namespace quarry::engine
