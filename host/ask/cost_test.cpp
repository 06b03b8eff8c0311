#include "ask/cost.h"

#include <gtest/gtest.h>

namespace quarry::ask {
namespace {

plugins::ModelRates rates() {
  plugins::ModelRates out;
  out.source = "static";
  out.rates.input = *parse_money("3");
  out.rates.output = *parse_money("15");
  out.rates.cache_read = *parse_money("0.3");
  return out;
}

TEST(Cost, PricesCachedInputAtItsOwnRateAndAddsUpToTheLastDigit) {
  Cost cost;
  add_cost(cost, rates(),
           {.input = 1001, .output = 7, .reasoning = 5, .cache_read = 1000, .cache_write = -1});
  EXPECT_EQ(to_decimal(cost.input), "0.000003");
  EXPECT_EQ(to_decimal(*cost.cache_read), "0.0003");
  EXPECT_EQ(to_decimal(cost.output), "0.000105");
  EXPECT_FALSE(cost.reasoning);
  EXPECT_EQ(to_decimal(cost.total()), "0.000408");
}

TEST(Cost, PricesReasoningApartWhereTheCatalogueDoes) {
  auto model = rates();
  model.rates.reasoning = *parse_money("30");
  Cost cost;
  add_cost(cost, model,
           {.input = 0, .output = 7, .reasoning = 5, .cache_read = -1, .cache_write = -1});
  EXPECT_EQ(to_decimal(cost.output), "0.00003");
  EXPECT_EQ(to_decimal(*cost.reasoning), "0.00015");
}

TEST(Cost, ATierHoldsForTheWholeRequestAboveItsSize) {
  auto model = rates();
  model.tiers.push_back({200, {}});
  model.tiers.back().rates.input = *parse_money("6");
  Cost below;
  add_cost(below, model,
           {.input = 200, .output = 0, .reasoning = -1, .cache_read = -1, .cache_write = -1});
  EXPECT_EQ(below.input.nanos, 600'000);
  Cost above;
  add_cost(above, model,
           {.input = 201, .output = 1, .reasoning = -1, .cache_read = -1, .cache_write = -1});
  EXPECT_EQ(above.input.nanos, 1'206'000);
  EXPECT_EQ(above.output.nanos, 15'000);
}

TEST(Cost, AMissingCacheRateIsUnknownAndNotZero) {
  Cost cost;
  add_cost(cost, rates(),
           {.input = 10, .output = 1, .reasoning = -1, .cache_read = -1, .cache_write = 4});
  EXPECT_FALSE(cost.cache_write);
  EXPECT_EQ(cost.unpriced, std::vector<std::string>{"cacheWrite"});
  const auto json = pricing_json(rates(), cost, "p/m", "");
  EXPECT_NE(json.find(R"("unpriced":["cacheWrite"])"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("modelKey":"p/m")"), std::string::npos) << json;
}

TEST(Usage, LeavesOutWhatNobodyGave) {
  plugins::Usage sum;
  EXPECT_EQ(usage_json(sum), "");
  add_usage(sum, {.input = 3, .output = -1, .reasoning = -1, .cache_read = -1, .cache_write = -1});
  add_usage(sum, {.input = 4, .output = 2, .reasoning = -1, .cache_read = -1, .cache_write = -1});
  EXPECT_EQ(usage_json(sum), R"({"inputTokens":7,"outputTokens":2,"totalTokens":9})");
}

}  // namespace
}  // namespace quarry::ask
