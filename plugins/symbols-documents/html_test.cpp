#include "symbols-documents/html.h"

#include <gtest/gtest.h>

namespace quarry::symbols_documents {
namespace {

std::string html(std::string_view text) {
  std::string out;
  for (const Heading& one : html_headings(text)) {
    out += std::to_string(one.level) + ' ' + one.name + '@' + std::to_string(one.line) + '\n';
  }
  return out;
}

TEST(Html, HasHeadingsWithoutTheirMarkup) {
  EXPECT_EQ(html("<body>\n<h1 id=\"a\">The <em>first</em>\n  heading</h1>\n<H2>B &amp; C</H2>\n"
                 "<h3><a href=\"x\">&#x44;&#69;</a> &unknown;</h3>"),
            "1 The first heading@2\n2 B & C@4\n3 DE &unknown;@5\n");
}

TEST(Html, HasNoHeadingsInCommentsAndScripts) {
  EXPECT_EQ(html("<!-- <h1>a</h1> --><script>x = '<h1>b</h1>'</script>\n<h1>c</h1>"), "1 c@2\n");
}

TEST(Html, ReadsWhatIsCutOff) {
  EXPECT_EQ(html("<h1>a"), "1 a@1\n");
  EXPECT_EQ(html("<h1"), "");
  EXPECT_EQ(html("<h1>&#xD800;&#99999999999;</h1><h1></h1><!--"), "1 &#xD800;&#99999999999;@1\n");
}

TEST(Html, HasNoHeadingsWithATextThatIsTooLong) {
  std::string blanks(1'000, '\n');
  for (int i = 0; i < 1'000; ++i) blanks += "&nbsp;";
  EXPECT_EQ(html("<h1>" + std::string(1'000, 'a') + blanks + "</h1>"),
            "1 " + std::string(1'000, 'a') + "@1\n");
  EXPECT_EQ(html("<h1>" + std::string(1'025, 'a') + "</h1><h2>" + blanks + "b" + blanks + "</h2>"),
            "2 b@1\n");
}

// Each heading without an end once had the text of the 16 KiB after it made anew.
TEST(Html, ReadsManyHeadingsWithoutEnd) {
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += "<h1>aaaaaaaa\n";
  EXPECT_TRUE(html(text + "</h1><h2>b</h2>").ends_with("2 b@50001\n"));
}

}  // namespace
}  // namespace quarry::symbols_documents
