#include "resource-archive/names.h"

#include <gtest/gtest.h>

namespace quarry::resource_archive {

namespace {

TEST(Name, LosesComponents) {
  EXPECT_EQ(without_components("a/b/c", 1), "b/c");
  EXPECT_EQ(without_components("a", 1), "");
  EXPECT_EQ(without_components("a/b", 5), "");
}

TEST(Name, IsBeneathAFolder) {
  EXPECT_TRUE(is_beneath("docs/a", "docs"));
  EXPECT_TRUE(is_beneath("docs", "docs"));
  EXPECT_FALSE(is_beneath("docs2/a", "docs"));
  EXPECT_TRUE(is_beneath("x", ""));
}

TEST(Name, IsShownWithoutHarm) {
  EXPECT_EQ(shown("a\x1b[31m\xff\xc3\xa9"), "a?[31m?\xc3\xa9");
  EXPECT_LE(shown(std::string(5000, 'x')).size(), 84u);
  EXPECT_EQ(from_cp437("caf\x82"), "caf\xc3\xa9");
  EXPECT_FALSE(is_utf8("\xed\xa0\x80"));
  EXPECT_FALSE(is_utf8("\xc0\x80"));
}

}  // namespace

}  // namespace quarry::resource_archive
