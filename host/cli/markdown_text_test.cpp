#include "cli/markdown_text.h"

#include <gtest/gtest.h>

namespace quarry::cli {
namespace {

std::string plain(std::string_view markdown, std::size_t width = 40) {
  return markdown_text(markdown, {.width = width, .colour = false});
}

TEST(MarkdownText, WrapsProseAtItsWidth) {
  EXPECT_EQ(plain("one two three four five", 20), "one two three four\nfive\n");
  EXPECT_EQ(plain("one two three", 13), "one two three\n");
  EXPECT_EQ(plain("one two three", 12), "one two\nthree\n");
  EXPECT_EQ(plain("one\ntwo"), "one two\n") << "a single newline is a space";
  EXPECT_EQ(plain("one  \ntwo"), "one\ntwo\n") << "a hard break";
  EXPECT_EQ(plain("a " + std::string(50, 'x') + " b", 20), "a\n" + std::string(50, 'x') + "\nb\n");
  EXPECT_EQ(plain(""), "");
}

TEST(MarkdownText, ShowsListsWithTheirMarksAndIndents) {
  EXPECT_EQ(plain("- one\n- two\n  - three\n"), "• one\n• two\n  • three\n");
  EXPECT_EQ(plain("3. one two three four five\n4. six", 20),
            "3. one two three\n   four five\n4. six\n");
  EXPECT_EQ(plain("- one\n\n- two\n\n  more\n"), "• one\n\n• two\n\n  more\n") << "a loose list";
  EXPECT_EQ(plain("1. a\n   > b\n"), "1. a\n   │ b\n");
  EXPECT_EQ(plain("- [ ] open\n- [x] done"), "• [ ] open\n• [x] done\n");
}

TEST(MarkdownText, ShowsHeadingsQuotesRulesAndCode) {
  EXPECT_EQ(plain("## Head\ntext"), "Head\ntext\n");
  EXPECT_EQ(plain("> said\n> again"), "│ said again\n");
  EXPECT_EQ(plain("---"), "───\n");
  EXPECT_EQ(plain("```c\nint a;\n\nint b;\n```"), "  int a;\n\n  int b;\n");
  EXPECT_EQ(plain("one\n\ntwo\n\n- three"), "one\n\ntwo\n\n• three\n");
}

TEST(MarkdownText, AlignsTables) {
  EXPECT_EQ(plain("| a | long name |\n|---|---|\n| longer | b |\n"),
            "a      │ long name\n───────┼──────────\nlonger │ b\n");
}

TEST(MarkdownText, ColoursAndLinks) {
  const auto coloured = [](std::string_view markdown) { return markdown_text(markdown, {}); };
  EXPECT_EQ(coloured("**a** *b* `c`"), "\x1b[1ma\x1b[0m \x1b[3mb\x1b[0m \x1b[36mc\x1b[0m\n");
  EXPECT_EQ(coloured("**a `b`**"), "\x1b[1ma\x1b[0m \x1b[1;36mb\x1b[0m\n");
  EXPECT_EQ(coloured("[x](https://a.b/c)"),
            "\x1b]8;;https://a.b/c\x1b\\\x1b[4mx\x1b[0m\x1b]8;;\x1b\\\n");
  EXPECT_EQ(plain("[x](https://a.b/c)"), "x (https://a.b/c)\n");
  EXPECT_EQ(plain("<https://a.b/c>"), "https://a.b/c\n");
}

TEST(MarkdownText, LetsNoTextControlTheTerminal) {
  EXPECT_EQ(plain("a \x1b[31m b"), "a \\u{1b}[31m b\n");
  EXPECT_EQ(plain("```\na\x1b]0;title\x07\n```"), "  a\\u{1b}]0;title\\u{7}\n");
  EXPECT_EQ(plain("<script>x</script>"), "<script>x</script>\n");
  for (const char* href :
       {"javascript:alert(1)", "file:///etc/passwd", "https://a\x1b[0m", "https://a/\u00fc"}) {
    const std::string shown = markdown_text("[x](" + std::string(href) + ")", {});
    EXPECT_EQ(shown.find("\x1b]8"), std::string::npos) << href;
  }
}

}  // namespace
}  // namespace quarry::cli
