#include "history/testing/history_fixture.h"

#include <cstdint>
#include <limits>

namespace quarry::history {
namespace {

using ::testing::ElementsAre;

class LedgerTest : public InDirectory {
 protected:
  void add(const Question& question) {
    const Status added = ledger_.add(question);
    ASSERT_TRUE(added) << added.error().message;
  }
  std::vector<std::string> keys(By by, Time since = at(0)) {
    std::vector<std::string> out;
    const auto usage = ledger_.usage(since, by);
    for (const UsageRow& row : usage->rows) out.push_back(row.key);
    return out;
  }

  Database database_ = *open_history(file());
  Ledger ledger_{database_};
};

TEST_F(LedgerTest, AnEmptyOneHasSpentNothing) {
  EXPECT_EQ(ledger_.spent(at(0))->nanos, 0);
  const auto usage = ledger_.usage(at(0), By::kModel);
  EXPECT_TRUE(usage->rows.empty());
  EXPECT_EQ(usage->total.questions, 0);
}

TEST_F(LedgerTest, SumsExactlyWhatCallsCost) {
  for (int i = 0; i < 1000; ++i) {
    add(question("q" + std::to_string(i), at(i),
                 {call("m", 1, 2, 333'333'333), call("m", 3, 4, 1)}));
  }
  EXPECT_EQ(ledger_.spent(at(0))->nanos, 333'333'334'000);
  EXPECT_EQ(ledger_.spent(at(500))->nanos, 166'666'667'000);
  EXPECT_EQ(ledger_.spent(at(1000))->nanos, 0);
}

// The sum of two such calls was an error of SQLite: "integer overflow".
TEST_F(LedgerTest, SumsThatNoTypeHoldsAreTheMost) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  add(question("a", at(1), {call("m", kMost, 1, kMost)}));
  add(question("b", at(2), {call("m", kMost, 1, kMost)}));
  EXPECT_EQ(ledger_.spent(at(0))->nanos, kMost);
  const auto usage = ledger_.usage(at(0), By::kModel);
  ASSERT_TRUE(usage);
  EXPECT_EQ(usage->rows.at(0).sums.input, kMost);
  EXPECT_EQ(usage->total.cost.nanos, kMost);
  EXPECT_EQ(usage->total.output, 2);
}

TEST_F(LedgerTest, TellsTheDearestModelFirst) {
  Call other = call("big", 10, 20, 5'000);
  other.reasoning = 7;
  other.cache_read = 3;
  other.cache_write = 2;
  add(question("a", at(1), {call("small", 1, 2, 30), call("small", 1, 2, 30), other}));
  add(question("b", at(2), {call("small", 5, 6, 100)}));
  const auto usage = *ledger_.usage(at(0), By::kModel);
  ASSERT_EQ(usage.rows.size(), 2u);
  const auto& [big, sums] = usage.rows[0];
  EXPECT_EQ(big, "openai/big");
  EXPECT_EQ(sums.cost.nanos, 5'000);
  EXPECT_EQ(sums.reasoning, 7);
  EXPECT_EQ(sums.cache_read, 3);
  EXPECT_EQ(sums.cache_write, 2);
  const Sums& small = usage.rows[1].sums;
  EXPECT_EQ(small.questions, 2);
  EXPECT_EQ(small.calls, 3);
  EXPECT_EQ(small.input, 7);
  EXPECT_EQ(small.output, 10);
  EXPECT_EQ(small.cost.nanos, 160);
  EXPECT_EQ(usage.total.questions, 2);
  EXPECT_EQ(usage.total.calls, 4);
  EXPECT_EQ(usage.total.cost.nanos, 5'160);
}

TEST_F(LedgerTest, CountsAQuestionAtEachOfItsResourcesButOnceInTheTotal) {
  add(question("a", at(1), {call("m", 1, 1, 100)}, {{"docs", "v1"}, {"code", "v7"}}));
  add(question("b", at(2), {call("m", 1, 1, 10)}, {{"code", "v8"}}));
  const auto usage = *ledger_.usage(at(0), By::kResource);
  ASSERT_THAT(keys(By::kResource), ElementsAre("code", "docs"));
  EXPECT_EQ(usage.rows[0].sums.questions, 2);
  EXPECT_EQ(usage.rows[0].sums.cost.nanos, 110);
  EXPECT_EQ(usage.rows[1].sums.cost.nanos, 100);
  EXPECT_EQ(usage.total.questions, 2);
  EXPECT_EQ(usage.total.cost.nanos, 110);
}

TEST_F(LedgerTest, DaysAreThoseOfUtcInTheirOrder) {
  constexpr std::int64_t kMidnight = 1'793'577'600;  // 2026-11-02T00:00:00Z
  add(question("b", at(kMidnight), {call("m", 1, 1, 1)}));
  add(question("a", at(kMidnight - 1), {call("m", 1, 1, 1)}));
  EXPECT_THAT(keys(By::kDay), ElementsAre("2026-11-01", "2026-11-02"));
  EXPECT_THAT(keys(By::kDay, at(kMidnight)), ElementsAre("2026-11-02"));
}

TEST_F(LedgerTest, AQuestionWithoutCallsIsAQuestion) {
  Question failed = question("a", at(1), {}, {});
  failed.outcome = "CollectionError";
  add(failed);
  EXPECT_EQ(ledger_.usage(at(0), By::kModel)->total.questions, 1);
  EXPECT_TRUE(keys(By::kModel).empty());
  EXPECT_EQ(ledger_.usage(at(0), By::kDay)->rows[0].sums.calls, 0);
}

TEST_F(LedgerTest, CountsCallsOfWhichAPartHasNoPrice) {
  Call partly = call("m", 1, 1, 5);
  partly.unpriced = {"cacheRead", "cacheWrite"};
  add(question("a", at(1), {partly, call("m", 1, 1, 1)}));
  EXPECT_EQ(ledger_.usage(at(0), By::kDay)->total.unpriced_calls, 1);
}

TEST_F(LedgerTest, AModelWithoutANameIsItsProvider) {
  add(question("a", at(1), {call("", 1, 1, 1)}));
  EXPECT_THAT(keys(By::kModel), ElementsAre("openai"));
}

TEST_F(LedgerTest, CountsWhatSearchesCostButNotAsQuestions) {
  Question search = question("s", at(1), {call("embedding", 5, 0, 70)}, {});
  search.outcome = kRetrieval;
  add(search);
  add(question("q", at(2), {call("small", 1, 2, 30)}));
  EXPECT_EQ(ledger_.spent(at(0))->nanos, 100);
  const auto usage = *ledger_.usage(at(0), By::kModel);
  EXPECT_EQ(usage.total.questions, 1);
  EXPECT_EQ(usage.total.calls, 2);
  EXPECT_EQ(usage.rows.at(0).key, "openai/embedding");
  EXPECT_EQ(usage.rows.at(0).sums.questions, 0);
}

}  // namespace
}  // namespace quarry::history
