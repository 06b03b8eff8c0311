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

TEST(PercentDecoded, TurnsTriplesIntoBytesAndLeavesTheRest) {
  EXPECT_EQ(percent_decoded("a%5Db%5bc"), "a]b[c");
  EXPECT_EQ(percent_decoded("%c3%BC"), "ü");
  EXPECT_EQ(percent_decoded("50%25"), "50%");
  for (const char* text : {"", "50%", "%5", "%zz", "% 5", "%-1", "%+1"}) {
    EXPECT_EQ(percent_decoded(text), text);
  }
}

TEST(ShellWord, IsQuotedWhereTheShellWouldReadMore) {
  EXPECT_EQ(shell_word("/a/b-c.toml"), "/a/b-c.toml");
  EXPECT_EQ(shell_word("/a b/$(x)"), "'/a b/$(x)'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace quarry
