#include "corpus/text/word_mask.h"

#include <bit>
#include <string>

#include <gtest/gtest.h>

namespace quarry::corpus {
namespace {

TEST(WordMasks, ContainEachWord) {
  const WordMask all = words_mask("  static void Parser::parse_all(const Tree2& tree");
  for (const char* word : {"static", "void", "Parser", "parse_all", "const", "Tree2", "tree"}) {
    const WordMask one = first_word_mask(word);
    EXPECT_EQ(std::popcount(one), 1) << word;
    EXPECT_EQ(all & one, one) << word;
  }
}

TEST(WordMasks, IgnoreTheCaseOfAscii) {
  EXPECT_EQ(first_word_mask("PARSER"), first_word_mask("parser"));
  EXPECT_EQ(words_mask("Parser Tree"), words_mask("tree/parser"));
}

TEST(WordMasks, AreEmptyWithoutWords) {
  EXPECT_EQ(words_mask(""), 0u);
  EXPECT_EQ(words_mask(" ::~ "), 0u);
  EXPECT_EQ(first_word_mask("::"), 0u);
}

TEST(WordMasks, OfTheFirstWordLeaveOutTheOthers) {
  EXPECT_EQ(first_word_mask("~foo-bar"), first_word_mask("foo"));
  EXPECT_EQ(first_word_mask("\xC3\xBC"
                            "ber uns"),
            first_word_mask("\xC3\xBC"
                            "ber"));
}

TEST(WordMasks, DifferForMostWords) {
  WordMask all = 0;
  for (int i = 0; i < 64; ++i) all |= first_word_mask("word" + std::to_string(i));
  EXPECT_GE(std::popcount(all), 32) << "about 40 of 64 if each bit is as likely";
}

}  // namespace
}  // namespace quarry::corpus
