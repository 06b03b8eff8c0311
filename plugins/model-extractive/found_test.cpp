#include "model-extractive/found.h"

#include "model-extractive/quotation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::extractive {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Found, ReadsPassagesWithTheirHeadingAndLines) {
  const auto found = passages_in(
      "docs/date.py:4-7  def parse_date\n     4\tdef parse_date(text):\n     5\t  x:1-2\n\n"
      "@kit/docs/guide.md:1-3\n     1\t# Guide\n\n2 passages, best first.\n");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].path, "docs/date.py");
  EXPECT_EQ(found[0].first, 4u);
  EXPECT_EQ(found[0].last, 7u);
  EXPECT_EQ(found[0].heading, "def parse_date");
  EXPECT_EQ(found[0].lines.size(), 2u);
  EXPECT_EQ(found[1].path, "@kit/docs/guide.md");
  EXPECT_EQ(found[1].heading, "");
  EXPECT_THAT(passages_in("Nothing fits."), IsEmpty());
}

TEST(Found, ReadsTheListing) {
  EXPECT_THAT(names_in_listing("docs/  2 files\n@kit/docs/  1 file\n\n(2 in /)\n"),
              ElementsAre("docs", "@kit/docs"));
  EXPECT_TRUE(is_empty_listing("docs/  0 files\n"));
  EXPECT_FALSE(is_empty_listing("docs/  0 files\nother/  3 files\n"));
  EXPECT_FALSE(is_empty_listing(""));
}

TEST(Lines, AreReadWithTheirNumbers) {
  const auto lines =
      numbered_lines("head\n    7\ta\tb\n  12 no tab\n\n    8\t\nEnd of the file, line 8.");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].number, 7u);
  EXPECT_EQ(lines[0].text, "a\tb");
  EXPECT_EQ(lines[1].text, "");
}

TEST(Quotation, CitesTheLongestNameThatFits) {
  EXPECT_EQ(citation("a/b/c.md", {"a", "a/b"}, 4, 4), "[a/b:c.md#L4]");
  EXPECT_EQ(citation("a/b.md", {"a"}, 4, 5), "[a:b.md#L4-L5]");
  EXPECT_EQ(citation("a/b.md", {"b"}, 4, 5), std::nullopt);
}

TEST(Quotation, EncodesBracketsInThePath) {
  EXPECT_EQ(citation("docs/a]b[c.md", {"docs"}, 4, 4), "[docs:a%5Db%5Bc.md#L4]");
}

TEST(Quotation, FencesWhatHoldsAFence) {
  EXPECT_EQ(fenced({{1, "```sh"}, {2, "make"}, {3, "```"}}), "````\n```sh\nmake\n```\n````\n");
}

}  // namespace
}  // namespace quarry::extractive
