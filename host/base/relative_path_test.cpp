#include "base/relative_path.h"

#include <gtest/gtest.h>

namespace quarry {
namespace {

TEST(RelativePath, HasOneForm) {
  EXPECT_EQ(*normalise_relative_path("a//b/./c/"), "a/b/c");
  EXPECT_EQ(*normalise_relative_path("."), "");
  EXPECT_EQ(*normalise_relative_path(""), "");
  EXPECT_EQ(*normalise_relative_path("a/..b/c.."), "a/..b/c..");
}

TEST(RelativePath, NeverLeavesItsRoot) {
  for (const std::string& path : {std::string("/etc"), std::string(".."), std::string("a/../b"),
                                  std::string("a\0b", 3), std::string(4097, 'a')}) {
    EXPECT_FALSE(normalise_relative_path(path)) << path;
  }
}

}  // namespace
}  // namespace quarry
