#include "pricing-static/static_prices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::pricing_static {
namespace {

using ::testing::HasSubstr;

std::string refused(std::string_view configuration) {
  const auto prices = StaticPrices::read(configuration);
  return prices ? "accepted" : prices.failure().message + " " + prices.failure().details;
}

TEST(StaticPrices, AnswerTheRatesOfTheModelAsTheyStand) {
  const auto prices =
      StaticPrices::read(R"({"a/b/c":{"input":"1.25","output":"10"},"a/free":{"input":"0"}})");
  ASSERT_TRUE(prices);
  EXPECT_EQ((*prices)->rates("a", "b/c"), R"({"input":"1.25","output":"10","source":"static"})");
  EXPECT_EQ((*prices)->rates("a", "free"), R"({"input":"0","source":"static"})");
}

TEST(StaticPrices, NeverPriceByTheModelAlone) {
  const auto prices = StaticPrices::read(R"({"a/b":{"input":"1"}})");
  EXPECT_EQ((*prices)->rates("other", "b"), "null");
  EXPECT_EQ((*prices)->rates("a", "c"), "null");
}

TEST(StaticPrices, NameTheMemberThatIsNoRate) {
  EXPECT_THAT(refused(R"({"a/b":{"input":1.5}})"), HasSubstr(R"("field":"/a~1b/input")"));
  EXPECT_THAT(refused(R"({"a/b":{"inptu":"1"}})"), HasSubstr("is not known"));
  EXPECT_THAT(refused(R"({"a/b":"1"})"), HasSubstr("must be a table"));
  EXPECT_THAT(refused(R"({"b":{"input":"1"}})"), HasSubstr("<provider>/<model>"));
  for (const char* rate : {"", ".5", "1.", "-1", "1e3", "1.0000000001", "12345678"}) {
    EXPECT_THAT(refused(std::string(R"({"a/b":{"input":")") + rate + "\"}}"),
                HasSubstr("decimal dollars"))
        << rate;
  }
  EXPECT_THAT(refused("[]"), HasSubstr("must be an object"));
}

}  // namespace
}  // namespace quarry::pricing_static
