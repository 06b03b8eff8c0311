// Invoices computed by hand. Each line has the multiplication, tokens by dollars per million
// tokens, and the product in dollars; no figure comes from the code under test.

#include "ask/cost.h"

#include <cstdint>
#include <limits>
#include <map>
#include <sstream>

#include <gtest/gtest.h>

namespace quarry::ask {
namespace {

struct Prices {
  const char* input = nullptr;
  const char* output = nullptr;
  const char* reasoning = nullptr;
  const char* cache_read = nullptr;
  const char* cache_write = nullptr;
};
struct Above {
  std::int64_t tokens;
  Prices prices;
};
struct Offer {
  Prices prices;
  std::vector<Above> tiers = {};
};
struct Call {
  Offer offer;
  plugins::Usage usage;
};
struct Line {
  const char* part;
  const char* working;
  const char* dollars;
};
struct Invoice {
  const char* name;
  std::vector<Call> calls;
  std::vector<Line> lines;
  const char* total;
  std::vector<std::string> unpriced = {};
};

const Offer kSonnet = {{.input = "3", .output = "15", .cache_read = "0.3", .cache_write = "3.75"}};
const Offer kGpt = {{.input = "1.25", .output = "10", .cache_read = "0.125"}};
const Offer kGemini = {{.input = "1.25", .output = "10", .cache_read = "0.125"},
                       {{200'000, {.input = "2.5", .output = "15", .cache_read = "0.25"}}}};
const Offer kReasoner = {{.input = "2", .output = "8", .reasoning = "3"}};
const Offer kFree = {{.input = "0", .output = "0", .cache_read = "0"}};
const Offer kInputOnly = {{.input = "1"}};
const Offer kHalfANano = {{.input = "0.0005", .output = "0.0005"}};

const std::vector<Invoice> kInvoices = {
    {"InputAndOutput",
     {{kSonnet, {.input = 1'000, .output = 500}}},
     {{"input", "1000 x 3", "0.003"}, {"output", "500 x 15", "0.0075"}},
     "0.0105"},
    {"OneTokenOfOutput",
     {{kSonnet, {.input = 0, .output = 1}}},
     {{"output", "1 x 15", "0.000015"}},
     "0.000015"},
    {"NothingUsed", {{kSonnet, {.input = 0, .output = 0}}}, {}, "0"},
    {"NothingSaid", {{kGpt, {}}}, {}, "0"},
    {"DecimalsThatBinaryFloatsMiss",
     {{{{.input = "0.1", .output = "0.2"}}, {.input = 1'000'000, .output = 1'000'000}}},
     {{"input", "1000000 x 0.1", "0.1"}, {"output", "1000000 x 0.2", "0.2"}},
     "0.3"},

    {"CacheReadAtItsOwnRate",
     {{kSonnet, {.input = 10'000, .output = 100, .cache_read = 9'000}}},
     {{"input", "1000 x 3", "0.003"},
      {"cacheRead", "9000 x 0.3", "0.0027"},
      {"output", "100 x 15", "0.0015"}},
     "0.0072"},
    {"CacheWriteAtItsOwnRate",
     {{kSonnet, {.input = 5'000, .output = 10, .cache_write = 4'000}}},
     {{"input", "1000 x 3", "0.003"},
      {"cacheWrite", "4000 x 3.75", "0.015"},
      {"output", "10 x 15", "0.00015"}},
     "0.01815"},
    {"CacheReadAndWrite",
     {{kSonnet, {.input = 100'000, .output = 2'000, .cache_read = 60'000, .cache_write = 30'000}}},
     {{"input", "10000 x 3", "0.03"},
      {"cacheRead", "60000 x 0.3", "0.018"},
      {"cacheWrite", "30000 x 3.75", "0.1125"},
      {"output", "2000 x 15", "0.03"}},
     "0.1905"},
    {"AllInputFromTheCache",
     {{kSonnet, {.input = 8'000, .output = 1, .cache_read = 8'000}}},
     {{"cacheRead", "8000 x 0.3", "0.0024"}, {"output", "1 x 15", "0.000015"}},
     "0.002415"},
    {"MoreCachedThanThereIsInput",
     {{kSonnet, {.input = 100, .output = 0, .cache_read = 150}}},
     {{"cacheRead", "150 x 0.3", "0.000045"}},
     "0.000045"},
    {"ACacheThatIsFree",
     {{{{.input = "1", .output = "1", .cache_read = "0"}},
       {.input = 1'000, .output = 0, .cache_read = 900}}},
     {{"input", "100 x 1", "0.0001"}, {"cacheRead", "900 x 0", "0"}},
     "0.0001"},

    {"UnknownCacheWriteRate",
     {{kGpt, {.input = 1'000, .output = 10, .cache_write = 400}}},
     {{"input", "600 x 1.25", "0.00075"}, {"output", "10 x 10", "0.0001"}},
     "0.00085",
     {"cacheWrite"}},
    {"UnknownCacheReadRate",
     {{kReasoner, {.input = 1'000, .output = 5, .cache_read = 600}}},
     {{"input", "400 x 2", "0.0008"}, {"output", "5 x 8", "0.00004"}},
     "0.00084",
     {"cacheRead"}},
    {"UnknownOutputRate",
     {{kInputOnly, {.input = 5'000, .output = 3}}},
     {{"input", "5000 x 1", "0.005"}},
     "0.005",
     {"output"}},
    {"UnknownInputRate",
     {{{{.output = "4"}}, {.input = 9, .output = 1'000}}},
     {{"output", "1000 x 4", "0.004"}},
     "0.004",
     {"input"}},
    {"UnknownRatesOfWhatWasNotUsed",
     {{kInputOnly, {.input = 7, .output = 0, .cache_read = 0, .cache_write = 0}}},
     {{"input", "7 x 1", "0.000007"}},
     "0.000007"},
    {"APriceOfZeroIsAPrice",
     {{kFree, {.input = 1'000'000, .output = 1'000'000, .cache_read = 500'000}}},
     {{"input", "500000 x 0", "0"},
      {"cacheRead", "500000 x 0", "0"},
      {"output", "1000000 x 0", "0"}},
     "0"},

    {"ReasoningInsideOutput",
     {{kGpt, {.input = 1, .output = 1'000, .reasoning = 800}}},
     {{"input", "1 x 1.25", "0.00000125"}, {"output", "1000 x 10", "0.01"}},
     "0.01000125"},
    {"ReasoningApart",
     {{kReasoner, {.input = 100, .output = 1'000, .reasoning = 800}}},
     {{"input", "100 x 2", "0.0002"},
      {"output", "200 x 8", "0.0016"},
      {"reasoning", "800 x 3", "0.0024"}},
     "0.0042"},
    {"AllOutputIsReasoning",
     {{kReasoner, {.input = 0, .output = 800, .reasoning = 800}}},
     {{"reasoning", "800 x 3", "0.0024"}},
     "0.0024"},
    {"ReasoningApartForNothing",
     {{{{.input = "1", .output = "8", .reasoning = "0"}},
       {.input = 0, .output = 10, .reasoning = 4}}},
     {{"output", "6 x 8", "0.000048"}, {"reasoning", "4 x 0", "0"}},
     "0.000048"},

    {"ATokenBelowTheTier",
     {{kGemini, {.input = 199'999, .output = 10}}},
     {{"input", "199999 x 1.25", "0.24999875"}, {"output", "10 x 10", "0.0001"}},
     "0.25009875"},
    {"AtTheTier",
     {{kGemini, {.input = 200'000, .output = 10}}},
     {{"input", "200000 x 1.25", "0.25"}, {"output", "10 x 10", "0.0001"}},
     "0.2501"},
    {"ATokenAboveTheTierPricesTheWholeCallThere",
     {{kGemini, {.input = 200'001, .output = 10}}},
     {{"input", "200001 x 2.5", "0.5000025"}, {"output", "10 x 15", "0.00015"}},
     "0.5001525"},
    {"CachedInputCountsForTheTier",
     {{kGemini, {.input = 250'000, .output = 0, .cache_read = 240'000}}},
     {{"input", "10000 x 2.5", "0.025"}, {"cacheRead", "240000 x 0.25", "0.06"}},
     "0.085"},
    {"ATierLeavesOutWhatDoesNotChange",
     {{{kSonnet.prices, {{200'000, {.input = "6"}}}},
       {.input = 300'000, .output = 100, .cache_read = 100'000}}},
     {{"input", "200000 x 6", "1.2"},
      {"cacheRead", "100000 x 0.3", "0.03"},
      {"output", "100 x 15", "0.0015"}},
     "1.2315"},
    {"BetweenTwoTiers",
     {{{{.input = "1", .output = "2"},
        {{1'000, {.input = "2"}}, {2'000, {.input = "3", .output = "4"}}}},
       {.input = 1'500, .output = 10}}},
     {{"input", "1500 x 2", "0.003"}, {"output", "10 x 2", "0.00002"}},
     "0.00302"},
    {"AboveTwoTiers",
     {{{{.input = "1", .output = "2"},
        {{1'000, {.input = "2"}}, {2'000, {.input = "3", .output = "4"}}}},
       {.input = 2'001, .output = 10}}},
     {{"input", "2001 x 3", "0.006003"}, {"output", "10 x 4", "0.00004"}},
     "0.006043"},
    {"TheLowerTierHoldsWhereTheUpperOneSaysNothing",
     {{{{.input = "1", .output = "2"}, {{1'000, {.output = "5"}}, {2'000, {.input = "3"}}}},
       {.input = 3'000, .output = 10}}},
     {{"input", "3000 x 3", "0.009"}, {"output", "10 x 5", "0.00005"}},
     "0.00905"},
    {"ATierIsOfACallAndNotOfTheQuestion",
     {{kGemini, {.input = 150'000, .output = 100}}, {kGemini, {.input = 150'000, .output = 100}}},
     {{"input", "150000 x 1.25 + 150000 x 1.25", "0.375"},
      {"output", "100 x 10 + 100 x 10", "0.002"}},
     "0.377"},
    {"OneCallBelowAndOneAbove",
     {{kGemini, {.input = 100'000, .output = 50}}, {kGemini, {.input = 300'000, .output = 50}}},
     {{"input", "100000 x 1.25 + 300000 x 2.5", "0.875"},
      {"output", "50 x 10 + 50 x 15", "0.00125"}},
     "0.87625"},

    {"ThreeStepsWithAGrowingCache",
     {{kSonnet, {.input = 2'000, .output = 100, .cache_read = 0, .cache_write = 2'000}},
      {kSonnet, {.input = 3'000, .output = 200, .cache_read = 2'000, .cache_write = 1'000}},
      {kSonnet, {.input = 3'500, .output = 50, .cache_read = 3'000, .cache_write = 0}}},
     {{"input", "500 x 3", "0.0015"},
      {"cacheRead", "2000 x 0.3 + 3000 x 0.3", "0.0015"},
      {"cacheWrite", "2000 x 3.75 + 1000 x 3.75", "0.01125"},
      {"output", "100 x 15 + 200 x 15 + 50 x 15", "0.00525"}},
     "0.0195"},
    {"AFallbackHasItsOwnRates",
     {{kSonnet, {.input = 1'000, .output = 200}},
      {kGpt, {.input = 1'000, .output = 300, .cache_read = 500}}},
     {{"input", "1000 x 3 + 500 x 1.25", "0.003625"},
      {"cacheRead", "500 x 0.125", "0.0000625"},
      {"output", "200 x 15 + 300 x 10", "0.006"}},
     "0.0096875"},
    {"AFallbackThatIsFree",
     {{kGpt, {.input = 1'000, .output = 10}}, {kFree, {.input = 1'000, .output = 10}}},
     {{"input", "1000 x 1.25 + 1000 x 0", "0.00125"}, {"output", "10 x 10 + 10 x 0", "0.0001"}},
     "0.00135"},
    {"AFallbackWithAnUnknownRate",
     {{kGpt, {.input = 100, .output = 10}},
      {kInputOnly, {.input = 100, .output = 10}},
      {kInputOnly, {.input = 0, .output = 10}}},
     {{"input", "100 x 1.25 + 100 x 1", "0.000225"}, {"output", "10 x 10", "0.0001"}},
     "0.000325",
     {"output"}},
    {"ReasoningInsideThenApart",
     {{kGpt, {.input = 0, .output = 100, .reasoning = 60}},
      {kReasoner, {.input = 0, .output = 100, .reasoning = 60}}},
     {{"output", "100 x 10 + 40 x 8", "0.00132"}, {"reasoning", "60 x 3", "0.00018"}},
     "0.0015"},

    {"HalfANanoDollarIsRoundedUp",
     {{kHalfANano, {.input = 1, .output = 0}}},
     {{"input", "1 x 0.0005", "0.000000001"}},
     "0.000000001"},
    {"LessThanHalfANanoDollarIsNothing",
     {{{{.input = "0.000499999"}}, {.input = 1, .output = 0}}},
     {{"input", "1 x 0.000499999", "0"}},
     "0"},
    {"EachPartIsRounded",
     {{kHalfANano, {.input = 1, .output = 1}}},
     {{"input", "1 x 0.0005", "0.000000001"}, {"output", "1 x 0.0005", "0.000000001"}},
     "0.000000002"},
    {"EachCallIsRounded",
     {{kHalfANano, {.input = 1, .output = 0}},
      {kHalfANano, {.input = 1, .output = 0}},
      {kHalfANano, {.input = 1, .output = 0}}},
     {{"input", "1 x 0.0005 + 1 x 0.0005 + 1 x 0.0005", "0.000000003"}},
     "0.000000003"},
    {"TheSmallestRate",
     {{{{.input = "0.000000001", .output = "0"}}, {.input = 1'000'000'000, .output = 1}}},
     {{"input", "1000000000 x 0.000000001", "0.000001"}, {"output", "1 x 0", "0"}},
     "0.000001"},
    {"TheLargestRate",
     {{{{.input = "1000000"}}, {.input = 9'223'372'036, .output = 0}}},
     {{"input", "9223372036 x 1000000", "9223372036"}},
     "9223372036"},
};

plugins::Rates rates_of(const Prices& prices) {
  const auto rate = [](const char* decimal) -> std::optional<Money> {
    return decimal == nullptr ? std::nullopt : std::optional<Money>(*parse_money(decimal));
  };
  return {rate(prices.input), rate(prices.output), rate(prices.reasoning), rate(prices.cache_read),
          rate(prices.cache_write)};
}

plugins::ModelRates rates_of(const Offer& offer) {
  plugins::ModelRates out{
      .source = "test", .date = {}, .rates = rates_of(offer.prices), .tiers = {}};
  for (const auto& [tokens, prices] : offer.tiers) out.tiers.push_back({tokens, rates_of(prices)});
  return out;
}

/// The parts that have an amount.
std::map<std::string, std::string> figures(const Cost& cost) {
  std::map<std::string, std::string> out;
  const auto add = [&](const char* part, const std::optional<Money>& amount) {
    if (amount) out[part] = to_decimal(*amount);
  };
  add("input", cost.input);
  add("output", cost.output);
  add("reasoning", cost.reasoning);
  add("cacheRead", cost.cache_read);
  add("cacheWrite", cost.cache_write);
  return out;
}

class Invoices : public ::testing::TestWithParam<Invoice> {};

TEST_P(Invoices, AreRightToTheLastNanoDollar) {
  const Invoice& invoice = GetParam();
  Cost cost;
  for (const auto& [offer, usage] : invoice.calls) add_cost(cost, rates_of(offer), usage);
  std::map<std::string, std::string> expected = {{"input", "0"}, {"output", "0"}};
  for (const auto& [part, working, dollars] : invoice.lines) expected[part] = dollars;
  EXPECT_EQ(figures(cost), expected);
  EXPECT_EQ(to_decimal(cost.total()), invoice.total);
  EXPECT_EQ(cost.unpriced, invoice.unpriced);
}

/// `decimal` in billionths, so that products are checked in another way than in the code.
std::int64_t billionths(std::string decimal) {
  std::size_t point = decimal.find('.');
  if (point == std::string::npos) decimal.insert(point = decimal.size(), ".");
  decimal.resize(point + 10, '0');
  decimal.erase(point, 1);
  return std::stoll(decimal);
}

TEST_P(Invoices, HaveLinesWhoseWorkingIsTheirFigure) {
  std::int64_t total = 0;
  for (const auto& [part, working, dollars] : GetParam().lines) {
    std::int64_t sum = 0;
    std::istringstream in{std::string("+ ") + working};
    std::string plus;
    std::string times;
    std::string tokens;
    std::string rate;
    while (in >> plus >> tokens >> times >> rate) {
      const double exact = std::stod(tokens) * static_cast<double>(billionths(rate)) / 1e6;
      sum += static_cast<std::int64_t>(exact + 0.5);
    }
    EXPECT_EQ(sum, billionths(dollars)) << part << ": " << working;
    total += sum;
  }
  EXPECT_EQ(total, billionths(GetParam().total));
}

INSTANTIATE_TEST_SUITE_P(ByHand, Invoices, ::testing::ValuesIn(kInvoices),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(InvoiceLimits, AnAmountBeyondAllMeansIsTheLargestThereIs) {
  const Offer dear = {{.input = "1000000", .output = "1000000", .cache_read = "1000000"}};
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  Cost cost;
  add_cost(cost, rates_of(dear), {.input = kMost, .output = kMost, .cache_read = 1});
  add_cost(cost, rates_of(dear),
           {.input = kMost, .output = 1, .cache_read = kMost, .cache_write = kMost});
  EXPECT_EQ(to_decimal(cost.input), "9223372036.854775807");
  EXPECT_EQ(to_decimal(cost.output), "9223372036.854775807");
  EXPECT_EQ(to_decimal(cost.total()), "9223372036.854775807");
}

TEST(InvoiceLimits, CountsBeyondAllMeansAreTheLargestThereIs) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  plugins::Usage sum;
  add_usage(sum, {.input = kMost, .output = 5});
  add_usage(sum, {.input = kMost, .output = 5});
  EXPECT_EQ(sum.input, kMost);
  EXPECT_EQ(sum.output, 10);
  EXPECT_EQ(total_tokens(sum), kMost);
}

}  // namespace
}  // namespace quarry::ask
