#include "cli/code_text.h"

#include <gtest/gtest.h>

namespace quarry::cli {
namespace {

std::string coloured(std::string_view info, std::string_view line) {
  return CodeText(info, true).line(line);
}

TEST(CodeText, HasKeywordsTextsNumbersAndCommentsInColoursOfTheirOwn) {
  EXPECT_EQ(coloured("python src/dates.py", "return parse('a\\'b', 10)  # it's"),
            "  \x1b[35mreturn\x1b[0m parse(\x1b[32m'a\\'b'\x1b[0m, \x1b[33m10\x1b[0m)  "
            "\x1b[90m# it's\x1b[0m");
  EXPECT_EQ(coloured("{.cpp}", "int returned = x1; // \"no text\""),
            "  \x1b[35mint\x1b[0m returned = x1; \x1b[90m// \"no text\"\x1b[0m");
  EXPECT_EQ(coloured("sh", "curl a#b  # c"), "  curl a#b  \x1b[90m# c\x1b[0m");
  EXPECT_EQ(coloured("JSON", "\"a\": true"), "  \x1b[32m\"a\"\x1b[0m: \x1b[35mtrue\x1b[0m");
}

TEST(CodeText, OfACommentGoesOnInTheNextLine) {
  CodeText code("c", true);
  EXPECT_EQ(code.line("a /* one"), "  a \x1b[90m/* one\x1b[0m");
  EXPECT_EQ(code.line("two"), "  \x1b[90mtwo\x1b[0m");
  EXPECT_EQ(code.line("three */ if"), "  \x1b[90mthree */\x1b[0m \x1b[35mif\x1b[0m");
}

TEST(CodeText, AQuoteThatDoesNotEndIsNone) {
  EXPECT_EQ(coloured("rust", "fn f<'a>(x)"), "  \x1b[35mfn\x1b[0m f<'a>(x)");
}

TEST(CodeText, OfAChangeIsColouredByLine) {
  CodeText code("diff", true);
  EXPECT_EQ(code.line("+added"), "  \x1b[32m+added\x1b[0m");
  EXPECT_EQ(code.line("-removed"), "  \x1b[31m-removed\x1b[0m");
  EXPECT_EQ(code.line(" kept"), "   kept");
}

TEST(CodeText, OfNoKnownLanguageHasOneColour) {
  EXPECT_EQ(coloured("", "if x"), "  \x1b[36mif x\x1b[0m");
  EXPECT_EQ(coloured("klingon", "if x"), "  \x1b[36mif x\x1b[0m");
}

TEST(CodeText, WithoutColoursIsAsItIs) {
  EXPECT_EQ(CodeText("c", false).line("int a; // b"), "  int a; // b");
}

TEST(CodeText, LetsNoCodeControlTheTerminal) {
  EXPECT_EQ(coloured("c", "\x1b]0;x"), "  \\u{\x1b[33m1b\x1b[0m}]\x1b[33m0\x1b[0m;x");
}

}  // namespace
}  // namespace quarry::cli
