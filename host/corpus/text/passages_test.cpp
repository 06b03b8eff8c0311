#include "corpus/text/passages.h"

#include <gmock/gmock.h>

namespace quarry::corpus {
namespace {

using ::testing::ElementsAre;

std::string lines(std::string_view line, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += std::string(line) + "\n";
  return text;
}

std::vector<std::string> headings(std::string_view path, std::string_view text) {
  std::vector<std::string> out;
  for (const PassageSpan& span : cut_passages(path, text).spans) {
    out.push_back(heading_text(text, span.heading));
  }
  return out;
}

TEST(Passages, OfSourceBeginAtDefinitions) {
  const std::string body = lines("    work()", 10);
  const std::string text = "import os\n" + lines("x = 1", 9) + "def first():\n" + body +
                           "# Why the second.\n@cached\ndef second():\n" + body;
  const Passages cut = cut_passages("a.py", text);
  ASSERT_EQ(cut.spans.size(), 3u);
  EXPECT_THAT(headings("a.py", text), ElementsAre("", "def first()", "def second()"));
  EXPECT_EQ(cut.spans[2].line, 22u) << "comments and decorators stay with what they describe";
  EXPECT_EQ(text.substr(cut.spans[2].begin, 5), "# Why");
}

TEST(Passages, CoverTheWholeTextWithoutGaps) {
  for (const std::string_view path : {"a.c", "a.md", "a.txt", "a.html", "a.1", "a.json"}) {
    const std::string text = "# One\n" + lines("text (a) {", 150) + "# Two\n" + lines("more", 90);
    std::uint32_t at = 0;
    for (const PassageSpan& span : cut_passages(path, text).spans) {
      EXPECT_EQ(span.begin, at);
      EXPECT_GT(span.end, span.begin);
      at = span.end;
    }
    EXPECT_EQ(at, text.size()) << path;
  }
}

TEST(Passages, KeepShortDefinitionsTogether) {
  const std::string text = "int one() {\n  return 1;\n}\nint two() {\n  return 2;\n}\n";
  EXPECT_EQ(cut_passages("a.c", text).spans.size(), 1u);
}

TEST(Passages, OfLongFunctionsKeepTheirHeading) {
  const std::string text = "void run() {\n" + lines("  step = next;", 150) + "}\n";
  EXPECT_THAT(headings("a.cpp", text), ElementsAre("void run()", "void run()", "void run()"));
}

TEST(Passages, AreCutAtABlankLineWhenTheyGrowLong) {
  const std::string text = lines("word", 50) + "\n" + lines("word", 40);
  const Passages cut = cut_passages("a.json", text);
  ASSERT_EQ(cut.spans.size(), 2u);
  EXPECT_EQ(cut.spans[1].line, 51u);
}

TEST(Passages, KnowWhatTheyStandIn) {
  const std::string text = "class Pool:\n" + lines("    size = 1", 10) + "    def take(self):\n" +
                           lines("        pass", 10);
  const Passages cut = cut_passages("a.py", text);
  ASSERT_EQ(cut.spans.size(), 2u);
  EXPECT_EQ(heading_text(text, cut.spans[1].heading), "def take(self)");
  EXPECT_EQ(heading_text(text, cut.spans[1].context), "class Pool");
}

TEST(Passages, ListTheNamesTheyDefine) {
  std::vector<std::string_view> names;
  const Passages cut = cut_passages("a.go", "type A struct {\n}\n\nfunc (a *A) Close() {\n}\n");
  for (const DefinedName& defined : cut.defined_names) names.push_back(defined.name);
  EXPECT_THAT(names, ElementsAre("A", "Close"));
}

TEST(Passages, OfMarkdownAreItsSections) {
  const std::string text =
      "# Guide\n\nHello.\n\n## Install\n\nRun it.\n```sh\n# no heading\n```\n"
      "Setext\n------\n\nlast\n";
  EXPECT_THAT(headings("doc/a.md", text), ElementsAre("Guide", "Install", "Setext"));
}

TEST(Passages, OfUnderlinedTextAreItsSections) {
  const std::string text =
      "Title\n=====\n\nintro\n\nUsage\n-----\n\nuse it\n\nOptions\n-------\n\n"
      "none\n";
  EXPECT_THAT(headings("a.rst", text), ElementsAre("Title", "Usage", "Options"));
  const Passages cut = cut_passages("a.rst", text);
  EXPECT_EQ(heading_text(text, cut.spans[2].context), "Title");
}

TEST(Passages, OfHtmlAndManualPagesAreTheirSections) {
  EXPECT_THAT(headings("a.html", "<h1>Top</h1>\n<p>\n</p>\n<h2 id=\"x\">Next <i>one</i></h2>\n"),
              ElementsAre("Top", "Next one"));
  EXPECT_THAT(headings("b.html",
                       "<html><head><title>T</title></head><body><hr/><H2>1. <b>First</b>"
                       "</H2><p>\ntext\n</p>\n<div><h3>\nOver two\nlines</h3>text\n"),
              ElementsAre("1. First", "Over two lines"));
  EXPECT_THAT(headings("git.1", ".SH NAME\ngit\n.PP\n.SH OPTIONS\n"),
              ElementsAre("NAME", "OPTIONS"));
}

TEST(Passages, OfNothingAreNone) {
  EXPECT_TRUE(cut_passages("a.c", "").spans.empty());
  EXPECT_EQ(cut_passages("a.c", "\n").spans.size(), 1u);
  EXPECT_EQ(cut_passages("a.js", std::string(100000, 'x')).spans.size(), 1u);
}

TEST(Headings, AreShownWithoutMarkup) {
  EXPECT_EQ(heading_text("## Install it ##\n", 0), "Install it ##");
  EXPECT_EQ(heading_text("== Title", 0), "Title");
  EXPECT_EQ(heading_text("void f() {\n}", 0), "void f()");
  EXPECT_EQ(heading_text("text", kNowhere), "");
}

}  // namespace
}  // namespace quarry::corpus
