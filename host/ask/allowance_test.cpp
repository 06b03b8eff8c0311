#include "ask/allowance.h"

#include <gtest/gtest.h>

namespace quarry::ask {
namespace {

using namespace std::chrono_literals;

plugins::Usage used(std::int64_t input, std::int64_t output) {
  return {.input = input, .output = output};
}

struct AllowanceTest : ::testing::Test {
  AllowanceTest() {
    // A dollar for a million tokens read, ten for a million written.
    priced.rates.emplace().rates.input = *parse_money("1");
    priced.rates->rates.output = *parse_money("10");
  }
  Allowance next(std::int64_t input, std::uint32_t step = 1) const {
    return allowance(limits, bill, priced, step, 0s, input, 8192);
  }

  Limits limits;
  Bill bill;
  Candidate priced{.model = nullptr, .provider = "p", .name = "m", .rates = {}};
};

TEST_F(AllowanceTest, WithoutLimitsEverythingIsPermitted) {
  bill.add(priced, used(1'000'000'000, 1'000'000), false);
  EXPECT_TRUE(next(1'000'000).permitted);
  EXPECT_EQ(next(1'000'000).limit, "");
  EXPECT_EQ(next(1'000'000).output, 8192);
}

TEST_F(AllowanceTest, TheLastStepIsToldSo) {
  limits.max_steps = 2;
  EXPECT_EQ(next(10, 1).limit, "");
  EXPECT_EQ(next(10, 2).limit, "maxSteps");
  EXPECT_TRUE(next(10, 2).permitted);
}

TEST_F(AllowanceTest, TimeThatIsOverPermitsNothing) {
  limits.max_time = 1s;
  EXPECT_TRUE(allowance(limits, bill, priced, 1, 999ms, 10, 100).permitted);
  const Allowance over = allowance(limits, bill, priced, 1, 1s, 10, 100);
  EXPECT_FALSE(over.permitted);
  EXPECT_EQ(over.limit, "maxSeconds");
}

TEST_F(AllowanceTest, TokensForOneCallMakeItTheLast) {
  limits.max_tokens = 10'000;
  bill.add(priced, used(3000, 1000), false);
  EXPECT_EQ(next(1000).limit, "");
  EXPECT_EQ(next(1000).output, 5000);
  EXPECT_EQ(next(4000).limit, "maxTokens");
  EXPECT_TRUE(next(4000).permitted);
  EXPECT_EQ(next(4000).output, 2000);
  EXPECT_FALSE(next(5900).permitted);
  EXPECT_EQ(next(5900).limit, "maxTokens");
}

TEST_F(AllowanceTest, MoneyForOneCallMakesItTheLast) {
  limits.max_cost = *parse_money("0.05");
  bill.add(priced, used(10'000, 1000), false);  // 0.02
  EXPECT_EQ(next(5000).limit, "");
  EXPECT_EQ(next(5000).output, 2500);
  EXPECT_EQ(next(20'000).limit, "maxCost");
  EXPECT_TRUE(next(20'000).permitted);
  EXPECT_EQ(next(20'000).output, 1000);
  EXPECT_FALSE(next(28'000).permitted);
  EXPECT_FALSE(next(40'000).permitted);
}

TEST_F(AllowanceTest, WhatTheProviderCachedIsExpectedToCostLess) {
  limits.max_cost = *parse_money("0.05");
  priced.rates->rates.cache_read = *parse_money("0.1");
  bill.add(priced, {.input = 20'000, .output = 0, .cache_read = 10'000}, false);
  EXPECT_TRUE(next(30'000).permitted);
  EXPECT_EQ(next(30'000).output, (50'000 - 11'000 - 12'000) / 10);
}

TEST_F(AllowanceTest, MoneyThatIsSpentPermitsNothingWhateverTheNextModelCosts) {
  limits.max_cost = *parse_money("0.01");
  bill.add(priced, used(10'000, 0), false);
  const Candidate local{.model = nullptr, .provider = "local", .name = "m", .rates = {}};
  EXPECT_EQ(allowance(limits, bill, local, 1, 0s, 10, 100).limit, "maxCost");
}

TEST_F(AllowanceTest, AModelWithoutRatesIsNotHeldBackByMoney) {
  limits.max_cost = *parse_money("0.0001");
  const Candidate local{.model = nullptr, .provider = "local", .name = "m", .rates = {}};
  EXPECT_EQ(allowance(limits, bill, local, 1, 0s, 100'000, 8192).output, 8192);
}

}  // namespace
}  // namespace quarry::ask
