#include "base/size_text.h"

#include <gtest/gtest.h>

namespace quarry {
namespace {

TEST(SizeText, HasOneDigitAfterThePoint) {
  EXPECT_EQ(size_text(0), "0.0 MiB");
  EXPECT_EQ(size_text(3 << 19), "1.5 MiB");
  EXPECT_EQ(size_text((10ull << 30) - (1u << 20)), "10239.0 MiB");
  EXPECT_EQ(size_text(10ull << 30), "10.0 GiB");
  EXPECT_EQ(size_text(25ull << 29), "12.5 GiB");
}

}  // namespace
}  // namespace quarry
