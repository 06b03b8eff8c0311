#include "pricing-genai-prices/catalogue.h"

#include <vector>

#include <gtest/gtest.h>

namespace quarry::pricing_genai_prices {
namespace {

using namespace std::chrono;

Moment at(year_month_day day, seconds of_day = seconds(0)) {
  return Moment(sys_days(day) + of_day);
}
constexpr year_month_day kToday = 2026y / November / 21d;

/// Two sellers: "maker" has the models "a" and "b-2026-01-31", "shop" only those of "maker".
class Invented : public ::testing::Test {
 protected:
  Invented() {
    tables_ = {.date = "2026-09-23",
               .text = "makershopab-2026-01-31",
               .rules = rules_,
               .tiers = tiers_,
               .prices = prices_,
               .models = models_,
               .fallbacks = fallbacks_,
               .providers = providers_};
  }
  std::string ask(std::string_view provider, std::string_view model, Moment now = at(kToday)) {
    return rates(tables_, provider, model, now);
  }

  std::vector<Rule> rules_ = {
      {Rule::k_equals, 9, 1, 1}, {Rule::k_equals, 10, 12, 2}, {Rule::k_contains, 5, 4, 3}};
  std::vector<TierRow> tiers_ = {{200'000, {2, -1, -1, -1, -1}}};
  std::vector<PriceRow> prices_ = {
      {When::kAlways, 0, 0, {1'500'000'000, 3, -1, 0, -1}, 0, 1},
      {When::kAlways, 0, 0, {1'000'000'000, -1, -1, -1, -1}, 0, 0},
      {When::kFromDay, 20261122, 0, {2'000'000'000, -1, -1, -1, -1}, 0, 0},
      {When::kDaily, 79'200, 3'600, {3'000'000'000, -1, -1, -1, -1}, 0, 0}};
  std::vector<ModelRow> models_ = {{0, 0, 1}, {1, 1, 3}};
  std::vector<std::uint16_t> fallbacks_ = {0};
  std::vector<ProviderRow> providers_ = {{0, 5, -1, 0, 2, 0, 0}, {5, 4, 2, 2, 0, 0, 1}};
  Tables tables_{};
};

TEST_F(Invented, AnswersRatesAndTiersAsDecimals) {
  EXPECT_EQ(ask("maker", "A"),
            R"({"source":"genai-prices","date":"2026-09-23","input":"1.5","output":"0.000000003",)"
            R"("cacheRead":"0","tiers":[{"above":200000,"input":"0.000000002"}]})");
}

TEST_F(Invented, NeverPricesByTheModelAlone) {
  EXPECT_EQ(ask("nobody", "a"), "null");
  EXPECT_EQ(ask("maker", "c"), "null");
  EXPECT_EQ(ask("maker", ""), "null");
  EXPECT_EQ(ask("maker", std::string(300, 'a')), "null");
  EXPECT_EQ(ask(std::string(300, 'a'), "a"), "null");
}

TEST_F(Invented, ASellerOffersTheModelsOfItsMakers) {
  EXPECT_EQ(ask("shop", "a"), ask("maker", "a"));
  EXPECT_EQ(ask("My Shop EU", "a"), ask("maker", "a")) << "by the rule about its names";
}

TEST_F(Invented, ADateMayBeWrittenWithoutDashes) {
  EXPECT_EQ(ask("maker", "b-20260131"), ask("maker", "b-2026-01-31"));
  EXPECT_NE(ask("maker", "b-20260131"), "null");
}

TEST_F(Invented, TheLastPriceWhoseTimeItIsHolds) {
  const auto input = [&](Moment now) {
    const std::string said = ask("maker", "b-2026-01-31", now);
    return said.substr(said.find("\"input\""));
  };
  const std::string before = "\"input\":\"1\"}";
  const std::string after = "\"input\":\"2\"}";
  const std::string night = "\"input\":\"3\"}";
  EXPECT_EQ(input(at(kToday, hours(12))), before);
  EXPECT_EQ(input(at(2026y / November / 22d, hours(12))), after);
  EXPECT_EQ(input(at(kToday, hours(22) - seconds(1))), before);
  EXPECT_EQ(input(at(kToday, hours(22))), night);
  EXPECT_EQ(input(at(kToday, minutes(59))), night);
  EXPECT_EQ(input(at(kToday, hours(1))), before);
  prices_[1].when = When::kFromDay;
  prices_[1].from = 20990101;
  EXPECT_EQ(input(at(kToday, hours(12))), before) << "the first one when no price is valid";
}

TEST(BuiltIn, KnowsWhatEveryoneAsks) {
  const Tables& tables = built_in_tables();
  if (tables.providers.empty()) GTEST_SKIP() << "this build has no prices";
  const auto known = [&](std::string_view provider, std::string_view model) {
    return rates(tables, provider, model, at(kToday)) != "null";
  };
  EXPECT_TRUE(known("openai", "gpt-4o"));
  EXPECT_TRUE(known("openai", "gpt-4o-2024-08-06"));
  EXPECT_TRUE(known("anthropic", "claude-sonnet-4-20250514"));
  EXPECT_TRUE(known("google", "gemini-2.5-flash"));
  EXPECT_TRUE(known("google", "models/gemini-2.5-flash"));
  EXPECT_FALSE(known("openai", "models/gpt-4o"));
  EXPECT_TRUE(known("openrouter", "openai/gpt-4o"));
  EXPECT_FALSE(known("openrouter", "no-such/model"));
  EXPECT_FALSE(known("ollama", "gpt-4o"));
}

}  // namespace
}  // namespace quarry::pricing_genai_prices
