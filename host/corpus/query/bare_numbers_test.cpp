#include "corpus/query/bare_numbers.h"

#include <string>

#include <gtest/gtest.h>

namespace quarry::corpus {
namespace {

std::string repeated(std::string_view part, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += part;
  return out;
}

TEST(BareNumbers, AreTheLastOnesThatSayAValue) {
  EXPECT_EQ(last_bare_number("It waits 30 s, then 5 minutes"), "5");
  EXPECT_EQ(last_bare_number("It waits 30 s for each of the four peers it has"), "");
  EXPECT_EQ(last_bare_number("It waits 30 s, see step 2"), "30");
  EXPECT_EQ(last_bare_number("  5 peers"), "") << "of a list";
  EXPECT_EQ(last_bare_number("It has\t5  peers \t at  most"), "5");
}

TEST(BareNumbers, MayStandInATextAsPartsOfOthers) {
  EXPECT_TRUE(may_have_number("version 1.2.3", "1.2"));
  EXPECT_TRUE(may_have_number("version 1.2.3", "2.3"));
  EXPECT_FALSE(may_have_number("version 1.2.3", "7"));
}

// Each point of a number once added both of its sides, half the number in the mean.
TEST(BareNumbers, OfManyPointsHaveNoParts) {
  const std::string text = repeated("1.", 500'000) + "1 and 5";
  EXPECT_TRUE(may_have_number(text, "5"));
  EXPECT_FALSE(may_have_number(text, "7"));
}

// Each number once had all words behind it counted, and all before it copied.
TEST(BareNumbers, AreFoundAmongMany) {
  EXPECT_EQ(last_bare_number("It is " + repeated("1 ", 50'000) + "2"), "2");
  EXPECT_EQ(last_bare_number("It is " + repeated("1|", 50'000) + "2"), "2");
}

}  // namespace
}  // namespace quarry::corpus
