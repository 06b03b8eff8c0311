#include "base/utf8.h"

#include <gtest/gtest.h>

namespace quarry {
namespace {

TEST(Utf8, AcceptsWellFormedText) {
  for (const char* text : {"", "plain", "gr\u00fc\u00df", "\u20ac", "\U0001F600"}) {
    EXPECT_TRUE(is_utf8(text)) << text;
  }
}

TEST(Utf8, RefusesIllFormedText) {
  for (const char* text : {"\xff", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                           "\xe2\x82", "a\x80z", "\xf5\x80\x80\x80"}) {
    EXPECT_FALSE(is_utf8(text)) << text;
    EXPECT_TRUE(is_utf8(to_utf8(text))) << text;
  }
}

TEST(Utf8, RepairsOnlyWhatIsBroken) {
  EXPECT_EQ(to_utf8("ok\xff\u20ac"), "ok\uFFFD\u20ac");
}

TEST(Utf8, CountsCodePoints) {
  EXPECT_EQ(utf8_length("a\u20ac\U0001F600"), 3u);
}

TEST(Utf8, FirstCharactersAreCodePoints) {
  EXPECT_EQ(first_characters("a\u20acb", 2), "a\u20ac");
  EXPECT_EQ(first_characters("a\u20acb", 3), "a\u20acb");
  EXPECT_EQ(first_characters("\u20ac", 0), "");
}

TEST(Utf8, NeverCutsACodePoint) {
  const std::string text = "a\u20acb";
  EXPECT_EQ(utf8_prefix(text, 1), "a");
  EXPECT_EQ(utf8_prefix(text, 3), "a");
  EXPECT_EQ(utf8_prefix(text, 4), "a\u20ac");
  EXPECT_EQ(utf8_prefix(text, 99), text);
}

}  // namespace
}  // namespace quarry
