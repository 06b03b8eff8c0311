#include "symbols-documents/markdown.h"

#include <gtest/gtest.h>

namespace quarry::symbols_documents {
namespace {

/// "level name@line" of each heading.
std::string markdown(std::string_view text) {
  std::string out;
  for (const Heading& one : markdown_headings(text)) {
    out += std::to_string(one.level) + ' ' + one.name + '@' + std::to_string(one.line) + '\n';
  }
  return out;
}

TEST(Markdown, HasHeadingsOfSixLevels) {
  EXPECT_EQ(markdown("# One\n\n## Two ##\n###\tThree #3\n###### Six\n####### seven\n#none\n"),
            "1 One@1\n2 Two@3\n3 Three #3@4\n6 Six@5\n");
}

TEST(Markdown, HasUnderlinedHeadings) {
  EXPECT_EQ(markdown("One\n===\n\ntext\nof two lines\n---\n\n---\n\nlast\n"),
            "1 One@1\n2 text of two lines@4\n");
}

TEST(Markdown, HasNoHeadingsInCode) {
  EXPECT_EQ(markdown("```sh\n# comment\n```\n\n~~~~\n# a\n~~~\n# b\n~~~~\n\n    # c\n\n# d\n"),
            "1 d@13\n");
  EXPECT_EQ(markdown("```\n# never closed\n"), "");
  EXPECT_EQ(markdown("```inline``` code\n# a\n"), "1 a@2\n");
}

TEST(Markdown, HasNoHeadingsInCommentsAndFrontMatter) {
  EXPECT_EQ(markdown("---\ntitle: x\n---\n# a\n<!--\n# b\n-->\n# c\n<!-- d -->\n# e\n"),
            "1 a@4\n1 c@8\n1 e@10\n");
}

TEST(Markdown, TakesNoListOrQuotationOrTableForAHeading) {
  EXPECT_EQ(markdown("- item\n---\n\n> quoted\n---\n\n| a |\n---\n\n1. one\n---\n"), "");
}

TEST(Markdown, HasUnderlinedVersions) {
  EXPECT_EQ(markdown("0.4.0 / 2014\n===\n"), "1 0.4.0 / 2014@1\n");
}

TEST(Markdown, KeepsTheMarkupOfNames) {
  EXPECT_EQ(markdown("# `code` and\t*more*\n## `f()`\n"), "1 `code` and *more*@1\n2 `f()`@2\n");
}

TEST(Markdown, LeavesOutHeadingsWithoutText) {
  EXPECT_EQ(markdown("#\n# #\n## ##\n"), "");
}

}  // namespace
}  // namespace quarry::symbols_documents
