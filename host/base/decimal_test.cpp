#include "base/decimal.h"

#include <gtest/gtest.h>

namespace quarry {
namespace {

TEST(Money, ParsesPlainDecimals) {
  EXPECT_EQ(parse_money("0")->nanos, 0);
  EXPECT_EQ(parse_money("3")->nanos, 3'000'000'000);
  EXPECT_EQ(parse_money("0.075")->nanos, 75'000'000);
  EXPECT_EQ(parse_money("0.000000001")->nanos, 1);
  EXPECT_EQ(parse_money("1000000")->nanos, 1'000'000'000'000'000);
}

TEST(Money, RefusesWhatIsNoAmount) {
  for (const char* text : {"", ".5", "1.", "-1", "1e3", "1,5", " 1", "0.0000000001", "1000001",
                           "99999999999999999999"}) {
    EXPECT_FALSE(parse_money(text)) << text;
  }
}

TEST(Money, PricesTokensToTheNanoDollar) {
  EXPECT_EQ(price_of(1'000'000, *parse_money("3")).nanos, 3'000'000'000);
  EXPECT_EQ(price_of(1, *parse_money("0.075")).nanos, 75);
  EXPECT_EQ(price_of(1, *parse_money("0.0005")).nanos, 1) << "half a nano-dollar rounds up";
  EXPECT_EQ(price_of(2'000'000'000, *parse_money("100")).nanos, 200'000'000'000'000);
}

TEST(Money, StopsAtTheLargestAmount) {
  EXPECT_EQ(price_of(INT64_MAX, *parse_money("1000000")).nanos, INT64_MAX);
  EXPECT_EQ((Money{INT64_MAX} + Money{1}).nanos, INT64_MAX);
  EXPECT_EQ((Money{INT64_MIN} + Money{-1}).nanos, INT64_MIN);
  EXPECT_EQ((Money{INT64_MAX} + Money{-1}).nanos, INT64_MAX - 1);
}

TEST(Money, PrintsTheShortestDecimal) {
  EXPECT_EQ(to_decimal({0}), "0");
  EXPECT_EQ(to_decimal({12'500'000}), "0.0125");
  EXPECT_EQ(to_decimal({1}), "0.000000001");
  EXPECT_EQ(to_decimal({-1'500'000'000}), "-1.5");
  EXPECT_EQ(to_decimal({INT64_MIN}), "-9223372036.854775808");
}

}  // namespace
}  // namespace quarry
