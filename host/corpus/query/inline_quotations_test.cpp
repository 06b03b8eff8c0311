#include "corpus/query/inline_quotations.h"

#include <gmock/gmock.h>

namespace quarry::corpus {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Each quotation with its kind (` or "), "?" for a name, "!" if adjacent.
std::vector<std::string> inline_found(std::string_view before, std::string_view after = "") {
  std::vector<std::string> out;
  for (const InlineQuotation& quotation : find_inline_quotations(before, after)) {
    out.push_back((quotation.kind == QuotationKind::kCode ? "`" : "\"") + quotation.text +
                  (quotation.name ? "?" : "") + (quotation.adjacent ? "!" : ""));
  }
  return out;
}

TEST(InlineQuotations, AreInBackquotesOrQuotationMarks) {
  EXPECT_THAT(inline_found("It is `a = 1` or \"one of the two\" or “a second one of them” here "),
              ElementsAre("`a = 1", "\"one of the two", "\"a second one of them"));
  EXPECT_THAT(inline_found("``a ` b c`` so "), ElementsAre("`a ` b c"));
  EXPECT_THAT(inline_found("a 12\" screen and `` and \"\" and one ` more "), IsEmpty());
  EXPECT_THAT(inline_found("`" + std::string(5000, 'a') + "` "), IsEmpty()) << "not one quotation";
}

TEST(InlineQuotations, AreOfTheLastSentence) {
  EXPECT_THAT(inline_found("First `a = 1`. Then `b = 2` "), ElementsAre("`b = 2!"));
  EXPECT_THAT(inline_found("First `a = 1`. Then `b = 2`. "), ElementsAre("`b = 2!"))
      << "the citation follows the sentence";
  EXPECT_THAT(inline_found("With `a. B = 1` "), ElementsAre("`a. B = 1!"))
      << "a full stop in a quotation ends no sentence";
  EXPECT_THAT(inline_found("Is `a = 1`? "), ElementsAre("`a = 1!"));
}

TEST(InlineQuotations, AreAdjacentBesideTheCitation) {
  EXPECT_THAT(inline_found("`a = 1` and `b = 2` in "), ElementsAre("`a = 1", "`b = 2!"));
  EXPECT_THAT(inline_found("`a = 1` (see "), ElementsAre("`a = 1!"));
  EXPECT_THAT(inline_found("`a = 1` is there "), ElementsAre("`a = 1"));
}

TEST(InlineQuotations, MayFollowTheCitation) {
  EXPECT_THAT(inline_found("In ", ": `a = 1`."), ElementsAre("`a = 1!"));
  EXPECT_THAT(inline_found("", " “a b c d”"), ElementsAre("\"a b c d!"));
  EXPECT_THAT(inline_found("In ", " we see `a = 1`."), ElementsAre("`a = 1"));
  EXPECT_THAT(inline_found("It is in ", ". Then `a = 1`."), IsEmpty()) << "another sentence";
  EXPECT_THAT(inline_found("With `b = 2` ", " `a = 1`."), ElementsAre("`b = 2!"));
}

TEST(InlineQuotations, MayStandInTheSentenceBefore) {
  EXPECT_THAT(inline_found("`a = 1`. So it works "), ElementsAre("`a = 1"));
  EXPECT_THAT(inline_found("`a = 1`. So it works with `b = 2` "), ElementsAre("`b = 2!"));
  EXPECT_THAT(inline_found("`a = 1`. Here. So it works "), IsEmpty());
  EXPECT_TRUE(find_inline_quotations(" `a = 1`. So it works ", "", {.before = true}).empty())
      << "the citation before may be its";
}

TEST(InlineQuotations, MayBeNames) {
  EXPECT_THAT(inline_found("`load` and `Registry::load()` and `--flag` or \"two words\" here "),
              ElementsAre("`load?", "`Registry::load()?", "`--flag?", "\"two words?"));
  EXPECT_THAT(
      inline_found("`30` and `a b` and `f(x)` and `a=b` and \"in 3\" and \"and three words\" is "),
      ElementsAre("`30", "`a b", "`f(x)", "`a=b", "\"in 3", "\"and three words"));
}

TEST(InlineQuotations, AreAtMostSixteen) {
  std::string before;
  for (int i = 0; i < 20; ++i) before += "`f(" + std::to_string(i) + ")` ";
  const auto all = inline_found(before);
  ASSERT_EQ(all.size(), 16u);
  EXPECT_EQ(all.front(), "`f(4)");
  EXPECT_EQ(all.back(), "`f(19)!");
}

}  // namespace
}  // namespace quarry::corpus
