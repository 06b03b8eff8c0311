#include "store_sql/money.h"

#include <gtest/gtest.h>

namespace quarry::store_sql {
namespace {

TEST(Money, IsReadExactly) {
  EXPECT_EQ(nanos_of("0"), 0);
  EXPECT_EQ(nanos_of("0.25"), 250'000'000);
  EXPECT_EQ(nanos_of("12.000000001"), 12'000'000'001);
  EXPECT_EQ(nanos_of("1000000"), kMostNanos);
  EXPECT_EQ(nanos_of("007.10"), 7'100'000'000);
}

TEST(Money, IsNothingElse) {
  for (const char* text :
       {"", ".", "1.", ".5", "-1", "+1", "1e3", "1,5", " 1", "1 ", "0x1", "0.0000000001",
        "1000000.000000001", "1000001", "99999999999999999999"}) {
    EXPECT_FALSE(nanos_of(text)) << text;
  }
}

TEST(Money, IsWrittenAsShortAsItCanBe) {
  EXPECT_EQ(decimal_of(0), "0");
  EXPECT_EQ(decimal_of(1), "0.000000001");
  EXPECT_EQ(decimal_of(250'000'000), "0.25");
  EXPECT_EQ(decimal_of(3'000'000'000), "3");
  EXPECT_EQ(decimal_of(kMostNanos), "1000000");
  EXPECT_EQ(decimal_of(kMostNanos + 1), "1000000") << "a sum beyond is told as that";
}

}  // namespace
}  // namespace quarry::store_sql
