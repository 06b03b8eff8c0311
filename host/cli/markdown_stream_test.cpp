#include "cli/markdown_stream.h"

#include <gtest/gtest.h>

namespace quarry::cli {
namespace {

/// `markdown`, given to a stream in pieces of `size`.
std::string streamed(std::string_view markdown, std::size_t size) {
  MarkdownStream stream({.width = 40, .colour = false});
  std::string out;
  for (std::size_t at = 0; at < markdown.size(); at += size) {
    out += stream.add(markdown.substr(at, size));
  }
  return out + stream.finish();
}

TEST(MarkdownStream, ShowsTheSameHoweverItIsCut) {
  const std::string_view markdown =
      "# Head\n\nSome *text* that\ngoes on.\n\n```py\nx = 1\n\ny = 2\n```\nand more\n\n- a\n- "
      "b\n\nend";
  const std::string whole =
      "Head\n\nSome text that goes on.\n\n  x = 1\n\n  y = 2\nand more\n\n• a\n• b\n\nend\n";
  for (std::size_t size = 1; size <= markdown.size(); ++size) {
    EXPECT_EQ(streamed(markdown, size), whole) << size;
  }
}

TEST(MarkdownStream, GivesWhatIsComplete) {
  MarkdownStream stream({.width = 40, .colour = false});
  EXPECT_EQ(stream.add("one "), "");
  EXPECT_EQ(stream.pending(), "one ");
  EXPECT_EQ(stream.add("two\n\nthr"), "one two\n\n");
  EXPECT_EQ(stream.pending(), "thr");
  EXPECT_EQ(stream.add("ee\n```\ncode\nmo"), "three\n  code\n");
  EXPECT_EQ(stream.add("re\n``\n"), "  more\n  ``\n") << "a shorter fence ends nothing";
  EXPECT_EQ(stream.add("~~~\n````\nafter"), "  ~~~\n");
  EXPECT_EQ(stream.finish(), "after\n");
  EXPECT_EQ(stream.finish(), "");
}

TEST(MarkdownStream, EndsAFenceWithItsLikeAlone) {
  EXPECT_EQ(streamed("````\n```\nx\n````\ny", 3), "  ```\n  x\ny\n");
  EXPECT_EQ(streamed("~~struck~~ text\n\nmore", 4), "struck text\n\nmore\n") << "no fence";
}

}  // namespace
}  // namespace quarry::cli
