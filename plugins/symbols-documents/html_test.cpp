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

}  // namespace
}  // namespace quarry::symbols_documents
