#include "resource-archive/names.h"

#include <gtest/gtest.h>

namespace quarry::resource_archive {

namespace {

TEST(Name, IsBeneathAFolder) {
  EXPECT_TRUE(is_beneath("docs/a", "docs"));
  EXPECT_TRUE(is_beneath("docs", "docs"));
  EXPECT_FALSE(is_beneath("docs2/a", "docs"));
  EXPECT_TRUE(is_beneath("x", ""));
}

TEST(Name, IsReadInItsCharacterSet) {
  EXPECT_EQ(from_cp437("caf\x82"), "caf\xc3\xa9");
  EXPECT_FALSE(is_utf8("\xed\xa0\x80"));
  EXPECT_FALSE(is_utf8("\xc0\x80"));
}

}  // namespace

}  // namespace quarry::resource_archive
