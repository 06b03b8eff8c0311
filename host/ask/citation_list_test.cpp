#include "ask/citation_list.h"

#include <gtest/gtest.h>

namespace quarry::ask {
namespace {

CitableResource cited() {
  CitableResource out;
  out.version = "1.0.0+a";
  out.permalink = "https://x/{version}/{path}#L{start}-L{end}";
  return out;
}

TEST(Permalink, IsTheTemplateFilledIn) {
  EXPECT_EQ(permalink(cited(), "a b/c?.js", 3, 7), "https://x/1.0.0%2Ba/a%20b/c%3F.js#L3-L7");
  EXPECT_EQ(permalink({}, "a", 1, 1), "");
}

TEST(Permalink, LeadsToNoFileThatWasGenerated) {
  auto page = cited();
  page.generated = {"PAGE.md"};
  EXPECT_EQ(permalink(page, "PAGE.md", 1, 2), "");
  EXPECT_EQ(permalink(page, "docs/PAGE.md", 1, 2), "https://x/1.0.0%2Ba/docs/PAGE.md#L1-L2");
}

}  // namespace
}  // namespace quarry::ask
