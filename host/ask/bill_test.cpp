#include "ask/bill.h"

#include "base/json.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry::ask {
namespace {

Candidate priced(std::string provider, std::string_view input, std::string_view output) {
  Candidate out{.model = nullptr, .provider = std::move(provider), .name = "m", .rates = {}};
  out.rates.emplace().source = "models.dev";
  out.rates->rates.input = *parse_money(input);
  out.rates->rates.output = *parse_money(output);
  return out;
}

plugins::Usage tokens(std::int64_t input, std::int64_t output) {
  return {.input = input, .output = output, .reasoning = -1, .cache_read = -1, .cache_write = -1};
}

Json pricing(const Bill& bill, const Candidate& answering) {
  const std::string text = bill.pricing(answering);
  return text.empty() ? Json() : Json::parse(text);
}

TEST(Bill, OneModelHasNoListOfCalls) {
  const auto model = priced("a", "1", "2");
  Bill bill;
  bill.add(model, tokens(1000, 10), false);
  bill.add(model, tokens(2000, 20), false);
  EXPECT_EQ(pricing(bill, model)["costUsd"]["total"], 0.00306);
  EXPECT_FALSE(pricing(bill, model).contains("calls"));
  EXPECT_EQ(bill.take_calls().size(), 2u);
}

TEST(Bill, PricesEachCallByItsOwnModelAndAddsUpToTheLastNanoDollar) {
  const auto first = priced("a", "0.333333333", "7");
  const auto second = priced("b", "3", "15");
  Bill bill;
  bill.add(first, tokens(1, 1), false);
  bill.add(first, tokens(2, 1), false);
  bill.add(second, tokens(1001, 7), false);
  const Json block = pricing(bill, second);
  EXPECT_EQ(block["modelKey"], "b/m");
  EXPECT_EQ(block["ratesUsdPerMTokens"]["input"], 3);
  EXPECT_EQ(block["calls"][0]["modelKey"], "a/m");
  EXPECT_EQ(block["calls"][0]["costUsd"]["total"], 0.000015);
  EXPECT_EQ(block["calls"][1]["costUsd"]["total"], 0.003108);
  EXPECT_EQ(block["costUsd"]["total"], 0.003123);
  Money sum;
  for (const auto& call : bill.take_calls()) sum = sum + call.cost.total();
  EXPECT_EQ(sum, bill.total());
}

TEST(Bill, AFailedCallThatUsedNothingIsNoCallToPay) {
  const auto first = priced("a", "1", "2");
  const auto second = priced("b", "1", "2");
  Bill bill;
  bill.add(first, {}, true);
  bill.add(second, tokens(10, 1), false);
  EXPECT_FALSE(pricing(bill, second).contains("calls"));
  const auto calls = bill.take_calls();
  EXPECT_TRUE(calls[0].failed);
  EXPECT_FALSE(calls[1].failed);
}

TEST(Bill, WhatWasPaidBeforeAFreeModelAnsweredIsShown) {
  const auto paid = priced("a", "1", "2");
  const Candidate local{.model = nullptr, .provider = "local", .name = "m", .rates = {}};
  Bill bill;
  bill.add(paid, tokens(1'000'000, 0), false);
  bill.add(local, tokens(5, 5), false);
  EXPECT_EQ(pricing(bill, local)["modelKey"], "a/m");
  EXPECT_EQ(pricing(bill, local)["costUsd"]["total"], 1);
  EXPECT_EQ(pricing(bill, local)["calls"][1], Json({{"modelKey", "local/m"}}));
  EXPECT_EQ(bill.usage().input, 1'000'005);
}

TEST(Bill, RecordsWhatHasNoPriceUnlessItCostsNothing) {
  Candidate model{.model = nullptr, .provider = "a", .name = "m", .rates = {}};
  Bill unknown;
  unknown.add(model, tokens(5, 5), false);
  unknown.add(model, {}, true);
  const auto calls = unknown.take_calls();
  EXPECT_EQ(calls[0].cost.unpriced, (std::vector<std::string>{"input", "output"}));
  EXPECT_TRUE(calls[1].cost.unpriced.empty());
  model.local = true;
  Bill local;
  local.add(model, tokens(5, 5), false);
  EXPECT_TRUE(local.take_calls()[0].cost.unpriced.empty());
}

TEST(Bill, NothingPricedIsNoBlock) {
  const Candidate local{.model = nullptr, .provider = "local", .name = "m", .rates = {}};
  Bill bill;
  EXPECT_EQ(bill.pricing(local), "");
  bill.add(local, tokens(5, 5), false);
  EXPECT_EQ(bill.pricing(local), "");
}

}  // namespace
}  // namespace quarry::ask
