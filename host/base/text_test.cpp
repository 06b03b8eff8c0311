#include "base/text.h"

#include <gtest/gtest.h>

namespace quarry {
namespace {

TEST(Nearest, FindsALikelySlip) {
  const std::vector<std::string> names{"branch", "searchPath", "url"};
  EXPECT_EQ(nearest("brnach", names), "branch");
  EXPECT_EQ(nearest("searchpath", names), "searchPath");
  EXPECT_EQ(nearest("ulr", names), "url") << "a swap is one slip";
  EXPECT_EQ(nearest("colour", names), std::nullopt);
}

TEST(Text, JoinsSplitsTrims) {
  EXPECT_EQ(join(std::vector<std::string>{"a", "b"}, ", "), "a, b");
  EXPECT_EQ(split("a//b", '/'), (std::vector<std::string_view>{"a", "", "b"}));
  EXPECT_EQ(split("", '/'), (std::vector<std::string_view>{""}));
  EXPECT_EQ(trim(" \t x y \n"), "x y");
  EXPECT_EQ(trim(" "), "");
  EXPECT_EQ(to_lower("AbZ\xc3\x84"), "abz\xc3\x84");
}

}  // namespace
}  // namespace quarry
