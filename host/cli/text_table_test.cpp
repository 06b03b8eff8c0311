#include "cli/text_table.h"

#include <gtest/gtest.h>

namespace quarry::cli {
namespace {

TEST(TextTable, AlignsCellsByTheirCharacters) {
  EXPECT_EQ(text_table({{"model", "cost"},
                        {"gr\xc3\xb6\xc3\x9f"
                         "er",
                         "0.1"},
                        {"m", "12.25"}},
                       {false, true}),
            "model    cost\ngr\xc3\xb6\xc3\x9f"
            "er    0.1\nm       12.25\n");
}

TEST(TextTable, ARowIsOneLineWhateverItsCellsHold) {
  EXPECT_EQ(text_table({{"a\nerror: b\xc2\x9b", "c"}, {"d", "e"}}, {false, false}),
            "a\\nerror: b\\u{9b}  c\nd                  e\n");
}

TEST(TextTable, EndsNoLineInBlanks) {
  EXPECT_EQ(text_table({{"a", "long"}, {"b", "c"}}, {false, false}), "a  long\nb  c\n");
  EXPECT_EQ(text_table({}, {}), "");
}

TEST(TextTable, WritesNumbersWithSomeDigitsAfterThePoint) {
  EXPECT_EQ(fixed(12.5, 2), "12.50");
  EXPECT_EQ(fixed(0.0004, 4), "0.0004");
  EXPECT_EQ(fixed(-1.96, 1), "-2.0");
  EXPECT_EQ(fixed(1e300, 1).size(), 303u);
}

TEST(TextTable, GroupsDigitsByThousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1'000), "1,000");
  EXPECT_EQ(grouped(1'234'567), "1,234,567");
  EXPECT_EQ(grouped(-123'456), "-123,456");
}

}  // namespace
}  // namespace quarry::cli
