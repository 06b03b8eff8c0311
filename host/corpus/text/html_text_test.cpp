#include "corpus/text/html_text.h"

#include <gtest/gtest.h>

namespace quarry::corpus {
namespace {

TEST(HtmlText, IsWhatAReaderSees) {
  EXPECT_EQ(html_text("plain"), "plain");
  EXPECT_EQ(html_text("<p class=\"note\">one <b>two</b></p>"), "one  two");
  EXPECT_EQ(html_text("a<!-- <p>hidden</p> -->b"), "a b");
  EXPECT_EQ(html_text("a<style>p { color: red }</style>b<SCRIPT>run(\"</b>\")</SCRIPT >c"),
            "a b c");
}

TEST(HtmlText, ComesInRunsThatAreViews) {
  const std::string_view html = "<p>one <b>two</b>";
  HtmlScanner scanner(html);
  EXPECT_EQ(scanner.next().data(), html.data() + 3);
  EXPECT_EQ(scanner.next().data(), html.data() + 10);
  EXPECT_EQ(scanner.next(), "");
}

TEST(HtmlText, HasNoEntities) {
  EXPECT_EQ(html_text("a&nbsp;b &#8212;c&lt;d"), "a b  c d");
  EXPECT_EQ(html_text("this & that; fine"), "this   that; fine");
}

TEST(HtmlText, KeepsWhatOnlyLooksLikeATag) {
  EXPECT_EQ(html_text("a < b"), "a   b");
  EXPECT_EQ(html_text("where n <5 or so"), "where n  5 or so");
  EXPECT_EQ(html_text("x<"), "x");
  EXPECT_EQ(html_text("&"), "");
}

TEST(HtmlText, EndsWithATagThatIsNotClosed) {
  EXPECT_EQ(html_text("one <a href=\"two"), "one ");
  EXPECT_EQ(html_text("one <style> two"), "one ");
}

}  // namespace
}  // namespace quarry::corpus
