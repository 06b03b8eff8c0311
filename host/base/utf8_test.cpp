#include "base/utf8.h"

#include <string>

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

/// Eight bytes are read at once where all are ASCII.
TEST(Utf8, FindsAnIllFormedByteAtEveryPlace) {
  for (std::size_t size = 1; size <= 40; ++size) {
    for (std::size_t place = 0; place < size; ++place) {
      std::string text(size, 'a');
      text[place] = '\x80';
      EXPECT_FALSE(is_utf8(text)) << size << ' ' << place;
      text.replace(place, 1, "\u20ac");
      EXPECT_TRUE(is_utf8(text)) << size << ' ' << place;
      text.erase(place + 2, 1);
      EXPECT_FALSE(is_utf8(text)) << size << ' ' << place;
    }
  }
}

/// Unicode 15, table 3-7.
TEST(Utf8, TheSecondByteDependsOnTheFirst) {
  struct Row {
    int first, last, least, most;
    std::string rest;
  };
  const Row rows[] = {{0xC2, 0xDF, 0x80, 0xBF, ""},         {0xE0, 0xE0, 0xA0, 0xBF, "\x80"},
                      {0xE1, 0xEC, 0x80, 0xBF, "\x80"},     {0xED, 0xED, 0x80, 0x9F, "\x80"},
                      {0xEE, 0xEF, 0x80, 0xBF, "\x80"},     {0xF0, 0xF0, 0x90, 0xBF, "\x80\xbf"},
                      {0xF1, 0xF3, 0x80, 0xBF, "\xbf\x80"}, {0xF4, 0xF4, 0x80, 0x8F, "\x80\x80"}};
  for (const auto& [first, last, least, most, rest] : rows) {
    for (int lead = first; lead <= last; ++lead) {
      for (int second = 0; second < 256; ++second) {
        const std::string head = {static_cast<char>(lead), static_cast<char>(second)};
        EXPECT_EQ(is_utf8(head + rest), least <= second && second <= most) << lead << ' ' << second;
      }
    }
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
