#include "resource-npm/wanted.h"

#include <gtest/gtest.h>

namespace quarry::resource_npm {
namespace {

/// "version 1.2.3", "range ^1", "tag next" or "none".
std::string read_wanted(std::string_view text) {
  const auto wanted = Wanted::parse(text);
  if (!wanted) return "none";
  return (wanted->version ? "version " : wanted->range ? "range " : "tag ") + wanted->text;
}

TEST(Wanted, IsAVersionARangeOrATagAsNpmReadsIt) {
  EXPECT_EQ(read_wanted("1.2.3"), "version 1.2.3");
  EXPECT_EQ(read_wanted(" v1.2.3+build "), "version 1.2.3");
  EXPECT_EQ(read_wanted("=1.2.3"), "range =1.2.3");
  EXPECT_EQ(read_wanted("1.2"), "range 1.2");
  EXPECT_EQ(read_wanted(">=1.2 \t <2"), "range >=1.2 <2");
  EXPECT_EQ(read_wanted("x"), "range x");
  EXPECT_EQ(read_wanted("latest"), "tag latest");
  EXPECT_EQ(read_wanted("next-14"), "tag next-14");
  EXPECT_EQ(read_wanted("v2-beta"), "tag v2-beta");
}

TEST(Wanted, IsNoOtherText) {
  for (const char* text : {"", "  ", "a b", "git+https://x/y", "file:../x", "npm:other@1", "-tag",
                           "..", "^1.2.3.4", "a/b", "a@b", "1.0 beta", "\xc3\xa4"}) {
    EXPECT_EQ(read_wanted(text), "none") << text;
  }
  EXPECT_EQ(read_wanted(std::string(257, 'a')), "none");
}

}  // namespace
}  // namespace quarry::resource_npm
