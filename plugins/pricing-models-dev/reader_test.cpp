#include "pricing-models-dev/reader.h"

#include <gtest/gtest.h>

namespace quarry::pricing_models_dev {
namespace {

/// The rates of the only model of a catalogue whose cost is this; empty when it is left out.
std::string rates_of(const std::string& cost) {
  const auto entries = read_catalogue(R"({"p":{"models":{"m":{"cost":)" + cost +
                                      R"(},"kept":{"cost":{"input":1}}}}})");
  if (!entries) return entries.failure().message;
  return entries->size() == 2 ? entries->front().rates : std::string();
}

TEST(Reader, TakesEveryRateByItsOwnName) {
  EXPECT_EQ(
      rates_of(R"({"input":3,"output":15.0,"reasoning":1.5e1,"cache_read":0.3,
                         "cache_write":3.75,"input_audio":100,"note":"x"})"),
      R"({"cacheRead":"0.3","cacheWrite":"3.75","input":"3","output":"15","reasoning":"15"})");
  EXPECT_EQ(rates_of(R"({"input":0,"output":0})"), R"({"input":"0","output":"0"})");
  EXPECT_EQ(rates_of(R"({"input":1,"cache_read":null})"), R"({"input":"1"})")
      << "a missing rate is not zero";
}

TEST(Reader, TakesTiersBySizeOfContext) {
  const char* expected = R"({"input":"5","tiers":[{"above":272000,"input":"10","output":"45"}]})";
  EXPECT_EQ(rates_of(R"({"input":5,"tiers":[{"input":10,"output":45,
                         "tier":{"type":"context","size":272000}}],
                         "context_over_200k":{"input":99}})"),
            expected);
  EXPECT_EQ(rates_of(R"({"input":5,"context_over_200k":{"input":10}})"),
            R"({"input":"5","tiers":[{"above":200000,"input":"10"}]})");
  EXPECT_EQ(rates_of(R"({"input":5,"tiers":[]})"), R"({"input":"5"})");
}

TEST(Reader, LeavesOutWhatItCannotSay) {
  EXPECT_EQ(rates_of(R"({"input":-1,"output":-1})"), "") << "the price varies";
  EXPECT_EQ(rates_of(R"({"input":true})"), "");
  EXPECT_EQ(rates_of(R"({"input":{"day":1}})"), "");
  EXPECT_EQ(rates_of(R"({"cache_read":1})"), "");
  EXPECT_EQ(rates_of(R"({"input":5,"tiers":[{"input":1,"tier":{"type":"hour","size":3}}]})"), "");
  EXPECT_EQ(rates_of(R"({"input":5,"tiers":[{"input":1}]})"), "");
  EXPECT_EQ(rates_of(R"({"input":5,"tiers":[7]})"), "");
  EXPECT_EQ(rates_of(R"({"input":5,"tiers":{}})"), "");
  EXPECT_EQ(rates_of(R"({"input":5,"tiers":[{"tier":{"type":"context","size":1e9}}]})"), "");
  EXPECT_EQ(rates_of("7"), "");
  EXPECT_EQ(rates_of("null"), "");
  EXPECT_EQ(rates_of("[{\"input\":1}]"), "");
}

TEST(Reader, KnowsProviderAndModelByTheirKeys) {
  const auto entries = read_catalogue(
      R"({"a":{"id":"x","models":{"v/m:free":{"id":"y","cost":{"input":0},"limit":{"context":9}},
          "unpriced":{"limit":{"context":9}},"bad\tname":{"cost":{"input":1}},"":{"cost":{"input":1}}}},
          "b":{"cost":{"input":1},"models":[{"cost":{"input":1}}]},
          "c":{"models":{"m":{"cost":{"input":2},"x":{"cost":{"input":3}}}}}})");
  ASSERT_TRUE(entries);
  ASSERT_EQ(entries->size(), 2u);
  EXPECT_EQ(entries->front().provider, "a");
  EXPECT_EQ(entries->front().model, "v/m:free");
  EXPECT_EQ(entries->back().provider, "c");
  EXPECT_EQ(entries->back().rates, R"({"input":"2"})");
}

TEST(Reader, RefusesWhatIsNoCatalogue) {
  const std::string whole = R"({"p":{"models":{"m":{"cost":{"input":1}}}}})";
  ASSERT_TRUE(read_catalogue(whole));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(read_catalogue(whole.substr(0, size))) << "cut at byte " << size;
  }
  for (const char* text : {"{}", "[]", "7", "null", "<html>", R"({"p":{"models":{}}})"}) {
    EXPECT_FALSE(read_catalogue(text)) << text;
  }
  EXPECT_FALSE(read_catalogue(whole + "x"));
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "{\"a\":";
  EXPECT_FALSE(read_catalogue(deep + "1" + std::string(100, '}')));
}

}  // namespace
}  // namespace quarry::pricing_models_dev
