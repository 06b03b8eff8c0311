#include "resource-npm/text.h"

#include <gtest/gtest.h>

namespace quarry::resource_npm {
namespace {

TEST(NpmText, IsShownAsPrintableAscii) {
  EXPECT_EQ(resource_npm::shown(" a~", 10), " a~");
  EXPECT_EQ(resource_npm::shown("\x1f\x7f\xc3\xa4\n", 10), "?????");
  EXPECT_EQ(resource_npm::shown("abc", 3), "abc");
  EXPECT_EQ(resource_npm::shown("abcd", 3), "abc…");
}

}  // namespace
}  // namespace quarry::resource_npm
