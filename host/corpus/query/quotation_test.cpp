#include "corpus/query/quotation.h"

#include <gtest/gtest.h>

namespace quarry::corpus {
namespace {

using enum QuotationKind;
using enum QuotationMatch;

QuotationMatch match(std::string_view quotation, std::string_view text,
                     QuotationKind kind = kCode) {
  return Quotation(quotation, kind).compare(text).match;
}

TEST(Quotation, IgnoresWhiteSpaceAndTypography) {
  EXPECT_EQ(match("f( a,\n  b )", "x = f(a, b);"), kExact);
  EXPECT_EQ(match("it’s “so” – here", "it's \"so\" - here"), kExact);
  EXPECT_EQ(match("it's \"so\"", "it’s “so”"), kExact);
}

TEST(Quotation, IsMadeOfWholeWordsAndNumbers) {
  EXPECT_EQ(match("limit = 3", "limit = 30;"), kAltered);
  EXPECT_EQ(match("limit = 3", "limit = 30; limit = 3;"), kExact) << "the second one is whole";
  EXPECT_EQ(match("0", "size = 10;"), kAltered);
  EXPECT_EQ(match("wait 1", "wait 1.5 s"), kAltered);
  EXPECT_EQ(match("5 s", "wait 1.5 s"), kAltered);
  EXPECT_EQ(match("wait 1.", "wait 1. Then"), kExact);
  EXPECT_EQ(match("size = max", "size = max_size;"), kAltered);
  EXPECT_EQ(match("size()", "max_size();"), kAltered);
  EXPECT_EQ(match("a b", "a b c"), kExact) << "white space ends a word";
  EXPECT_EQ(match("b c", "a b c"), kExact) << "white space begins a word";
}

TEST(Quotation, SaysWhatStandsThereInstead) {
  const auto altered = Quotation("limit = 50", kCode).compare("int a;\nint limit = 30;\n");
  EXPECT_EQ(altered.match, kAltered);
  EXPECT_EQ(altered.nearest, "limit = 30");
  EXPECT_EQ(Quotation("min_size", kCode).compare("return max_size;").nearest, "max_size");
  EXPECT_EQ(Quotation("since 1.2", kCode).compare("read since 1.3.").nearest, "since 1.3");
  const std::string many(300, 'x');
  EXPECT_EQ(Quotation(many + "y", kCode).compare(many + "z").nearest.size(), 200u);
  EXPECT_EQ(Quotation("limit = 50", kCode).compare("limit = 30", false).match, kAbsent);
}

TEST(Quotation, IsAbsentIfNothingIsLikeIt) {
  const auto absent = Quotation("delete everything", kCode).compare("return a + b;");
  EXPECT_EQ(absent.match, kAbsent);
  EXPECT_EQ(absent.nearest, "");
  EXPECT_EQ(match("x", "y"), kAbsent) << "a change of every byte is no likeness";
  EXPECT_EQ(match("x", ""), kAbsent);
  // A quarter of the bytes at most.
  EXPECT_EQ(match("abcdefgh", "abcdefXY"), kAltered);
  EXPECT_EQ(match("abcdefgh", "abcdeXYZ"), kAbsent);
}

TEST(Quotation, LeavesOutWhatAnEllipsisStandsFor) {
  EXPECT_EQ(match("f(…)", "f(a, b)"), kExact);
  EXPECT_EQ(match("first ... third", "first second third", kProse), kExact);
  EXPECT_EQ(match("third ... first", "first second third", kProse), kAltered) << "wrong order";
  EXPECT_EQ(match("f(...)", "void f(...);"), kExact) << "the text's own";
  EXPECT_EQ(match("a;\n// ...\nc;\n", "a;\nb;\nc;\n", kFence), kExact);
  EXPECT_NE(match("f(...)\n", "f(a, b)\n", kFence), kExact) << "not on a line of its own";
}

TEST(Quotation, OfProseHasNoMarkup) {
  constexpr std::string_view kText = "Use **one** of the `names` here, then stop.";
  EXPECT_EQ(match("use one of the names here.", kText, kProse), kExact);
  EXPECT_EQ(match("one of the names", kText, kBlock), kExact);
  EXPECT_NE(match("use one of the names", kText, kCode), kExact);
  EXPECT_NE(match("two of the names", kText, kProse), kExact);
  EXPECT_NE(match("of the Names", kText, kProse), kExact) << "only the first letter may differ";
}

TEST(Quotation, OfProseHasNoCommentMarks) {
  constexpr std::string_view kText = "  // The first line\n  // and the second.\nint a;\n";
  EXPECT_EQ(match("the first line and the second", kText, kProse), kExact);
  EXPECT_EQ(match("The first line\nand the second.\n", kText, kBlock), kExact);
  EXPECT_NE(match("The first line\nand the second.\n", kText, kFence), kExact);
  EXPECT_EQ(match("one two", "/* one\n * two\n */", kProse), kExact);
  EXPECT_NE(match("one two", "one\n--two", kProse), kExact) << "a mark ends with a space";
}

TEST(Quotation, OfANameMayBeAPartOfAWord) {
  EXPECT_TRUE(is_named_in("Token", "class TokenList;"));
  EXPECT_TRUE(is_named_in("List", "class TokenList;"));
  EXPECT_TRUE(is_named_in("read", "it reads"));
  EXPECT_FALSE(is_named_in("ken", "class TokenList;"));
  EXPECT_FALSE(is_named_in("v1", "api v12"));
  EXPECT_TRUE(is_named_in("v1", "api v12 and v1"));
  EXPECT_FALSE(is_named_in("", "text"));
}

}  // namespace
}  // namespace quarry::corpus
