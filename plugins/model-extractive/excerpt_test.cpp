#include "model-extractive/excerpt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::extractive {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Passage passage_of(const std::string& path, const std::string& text) {
  Passage out{path, {}, {}, 1, 0};
  for (const std::string_view line : line_views(text)) {
    out.lines.push_back({++out.last, std::string(line)});
  }
  return out;
}

std::string excerpt_text(const Passage& passage, const std::string& question) {
  std::string out;
  for (const NumberedLine& line : best_excerpt(passage, read_question(question)).lines) {
    out += line.text + "\n";
  }
  return out;
}

std::string paragraphs(int count, const std::string& text) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text + "\n\n";
  return out;
}

TEST(Excerpt, TakesTheParagraphThatAnswers) {
  const std::string text = excerpt_text(
      passage_of("t/a.md", "# Dates\n\n" + paragraphs(20, "Years are numbers.\nMonths as well.") +
                               "A zone is read from the end of the text.\n\n" +
                               paragraphs(20, "Days are numbers.\nHours as well.")),
      "Where is the zone read from?");
  EXPECT_THAT(text, StartsWith("A zone is read"));
  EXPECT_LT(std::ranges::count(text, '\n'), 20);
}

TEST(Excerpt, TakesAShortSectionWithItsTitle) {
  EXPECT_EQ(excerpt_text(passage_of("t/a.md",
                                    "# Other\n\nText.\n\n## Time zones\n\nFirst.\n\nA zone "
                                    "is read.\n\n## Next\n\nText.\n"),
                         "How is a zone read?"),
            "## Time zones\n\nFirst.\n\nA zone is read.\n");
}

TEST(Excerpt, QuotesALongSectionFromTheTitleThatAnswers) {
  EXPECT_THAT(excerpt_text(passage_of("t/a.md", "# Reading zones\n\n" +
                                                    paragraphs(30, "Years are numbers.") +
                                                    "A zone is then read.\n"),
                           "How is a zone read?"),
              StartsWith("# Reading zones\n\nYears"));
}

TEST(Excerpt, QuotesTheFirstLinesOfALongParagraphBehindATitle) {
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += "Years are numbers.\n";
  for (const std::string title : {"# Reading zones\n", "Reading zones\n=============\n"}) {
    EXPECT_THAT(excerpt_text(passage_of("t/a.md", title + "\nA zone has a sign.\n" + lines),
                             "How is a zone read?"),
                StartsWith(title + "\nA zone has a sign.\nYears"));
  }
}

TEST(Excerpt, TakesADefinitionWithItsComment) {
  Passage passage =
      passage_of("t/a.c",
                 "#include <a.h>\n\n// Reads a zone\n// from a text.\nint read_zone(char* text) {\n"
                 "  int zone = 0;\n\n  return zone;\n}\n\nint other;\n");
  passage.first = 5;
  passage.last = 9;
  const std::string text = excerpt_text(passage, "How is a zone read?");
  EXPECT_THAT(text, StartsWith("// Reads a zone"));
  EXPECT_THAT(text, HasSubstr("return zone;\n}"));
  EXPECT_THAT(text, Not(HasSubstr("other")));
}

TEST(Excerpt, NeverQuotesImportsAndLicences) {
  const std::string text = excerpt_text(
      passage_of("t/a.py",
                 "# Copyright 2020 Zone readers\nimport zone\nimport reader\n\nx = zone()\n"),
      "How is a zone read?");
  EXPECT_EQ(text, "x = zone()\n");
  EXPECT_EQ(excerpt_text(passage_of("t/a.py", "import zone\nimport reader\n"), "zone reader"), "");
}

TEST(Excerpt, NeverQuotesATableOfContents) {
  EXPECT_EQ(excerpt_text(passage_of("t/a.md", "- [Zones](#zones)\n- [Read zones](#read)\n"),
                         "How are zones read?"),
            "");
}

TEST(Excerpt, EndsBeforeALineThatWasCut) {
  EXPECT_EQ(excerpt_text(passage_of("t/a.c", "int zone;\nlong zone…"), "zone"), "int zone;\n");
  EXPECT_EQ(excerpt_text(passage_of("t/a.c", ""), "zone"), "");
}

TEST(Excerpt, GoesOnAfterAColon) {
  const std::string text =
      excerpt_text(passage_of("t/a.md", "# Dates\n\n" + paragraphs(30, "Years are numbers.") +
                                            "The zone is read so:\n\n    zone(text)\n\n" +
                                            paragraphs(30, "Days are numbers.")),
                   "How is the zone read?");
  EXPECT_THAT(text, HasSubstr("zone(text)"));
}

TEST(Excerpt, TellsTheShareOfTheTitleAndOfASentence) {
  const Excerpt excerpt = best_excerpt(passage_of("t/a.md", "# Read zones\n\nA zone.\n"),
                                       read_question("How are zones read?"));
  EXPECT_EQ(excerpt.lead, 1);
  EXPECT_EQ(excerpt.near, 1);
}

TEST(DefinedName, KnowsManyLanguages) {
  EXPECT_EQ(defined_name("def parse(text):"), "parse");
  EXPECT_EQ(defined_name("  pub fn parse<T>(text: T) {"), "parse");
  EXPECT_EQ(defined_name("func (r *Reader) Parse(text string) {"), "Parse");
  EXPECT_EQ(defined_name("export default class Parser extends Base {"), "Parser");
  EXPECT_EQ(defined_name("static int parse_date(const char* text) {"), "parse_date");
  EXPECT_EQ(defined_name("  parse(text);"), "");
  EXPECT_EQ(defined_name("x = parse(text)"), "");
  EXPECT_EQ(defined_name(""), "");
}

}  // namespace
}  // namespace quarry::extractive
