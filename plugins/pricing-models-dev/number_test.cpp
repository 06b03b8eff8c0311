#include "pricing-models-dev/number.h"

#include <gtest/gtest.h>

namespace quarry::pricing_models_dev {
namespace {

TEST(PlainDollars, SayTheNumberAsItIsWritten) {
  EXPECT_EQ(plain_dollars("0.075"), "0.075");
  EXPECT_EQ(plain_dollars("15"), "15");
  EXPECT_EQ(plain_dollars("2.50"), "2.5");
  EXPECT_EQ(plain_dollars("0"), "0");
  EXPECT_EQ(plain_dollars("0.0"), "0");
  EXPECT_EQ(plain_dollars("1000000"), "1000000");
  EXPECT_EQ(plain_dollars("0.000000001"), "0.000000001");
}

TEST(PlainDollars, UndoExponents) {
  EXPECT_EQ(plain_dollars("7.5e-2"), "0.075");
  EXPECT_EQ(plain_dollars("1E+3"), "1000");
  EXPECT_EQ(plain_dollars("0.00012e4"), "1.2");
  EXPECT_EQ(plain_dollars("5e-8"), "0.00000005");
  EXPECT_EQ(plain_dollars("0e5"), "0");
}

TEST(PlainDollars, LoseTheNoiseOfBinaryFloats) {
  EXPECT_EQ(plain_dollars("0.19999999999999998"), "0.2");
  EXPECT_EQ(plain_dollars("0.30000000000000004"), "0.3");
  EXPECT_EQ(plain_dollars("0.0000000005"), "0.000000001");
  EXPECT_EQ(plain_dollars("0.0000000004"), "0");
  EXPECT_EQ(plain_dollars("1e-300"), "0");
}

TEST(PlainDollars, RefuseWhatIsNoPrice) {
  for (const char* number : {"-1", "1000001", "1e7", "1e400", "1e99999999999", "", ".", "free",
                             "1e", "1.2.3", "0x10", "1e5x"}) {
    EXPECT_EQ(plain_dollars(number), std::nullopt) << number;
  }
  EXPECT_EQ(plain_dollars(std::string(1001, '0')), std::nullopt);
}

}  // namespace
}  // namespace quarry::pricing_models_dev
