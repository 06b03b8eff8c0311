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
      "-- def parse_date, cite [docs:date%2Epy#L4]\n"
      "docs/date.py:4-7: def parse_date(text):\n5:   x:1: 2\n20: end\n21:\n"
      "@kit/docs/guide.md:1: # Guide\n(2 passages are left out. cursor: c1.2)");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].path, "docs/date.py");
  EXPECT_EQ(found[0].first, 4u);
  EXPECT_EQ(found[0].last, 7u);
  EXPECT_EQ(found[0].heading, "def parse_date");
  ASSERT_EQ(found[0].lines.size(), 2u);
  EXPECT_EQ(found[0].lines[1].number, 5u);
  EXPECT_EQ(found[0].lines[1].text, "  x:1: 2");
  EXPECT_EQ(found[1].path, "docs/date.py");
  EXPECT_EQ(found[1].first, 20u);
  EXPECT_EQ(found[1].last, 21u);
  EXPECT_EQ(found[1].heading, "");
  EXPECT_EQ(found[2].path, "@kit/docs/guide.md");
  EXPECT_EQ(found[2].lines.front().text, "# Guide");
  EXPECT_THAT(passages_in("(No passage fits these words.)"), IsEmpty());
  EXPECT_THAT(passages_in("7: a line without a path"), IsEmpty());
}

TEST(Found, ReadsTheListing) {
  EXPECT_THAT(names_in_listing("docs/ 2 files\n@kit/docs/ 1 files"),
              ElementsAre("docs", "@kit/docs"));
  EXPECT_TRUE(is_empty_listing("docs/ 0 files\n"));
  EXPECT_FALSE(is_empty_listing("docs/ 0 files\nother/ 3 files\n"));
  EXPECT_FALSE(is_empty_listing(""));
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
