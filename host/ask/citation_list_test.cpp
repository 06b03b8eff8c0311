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

TEST(Permalink, OfAFileTakesPrecedence) {
  CitableResource site = cited();
  site.facts = std::make_shared<plugins::FactsByPath>(plugins::FactsByPath{
      {"a.md", {"https://site.example/a?v={version}#l{start}", "Page A", "text/html"}},
      {"b.md", {"", "Page B", ""}}});
  EXPECT_EQ(permalink(site, "a.md", 3, 7), "https://site.example/a?v=1.0.0%2Ba#l3");
  EXPECT_EQ(permalink(site, "b.md", 3, 7), "https://x/1.0.0%2Ba/b.md#L3-L7");
  site.generated = {"a.md", "b.md"};
  EXPECT_EQ(permalink(site, "a.md", 3, 7), "https://site.example/a?v=1.0.0%2Ba#l3");
  EXPECT_EQ(permalink(site, "b.md", 3, 7), "") << "the template leads to files of the source";
}

TEST(CitationItems, HaveTheTitleOfTheirFile) {
  CitableResource site = cited();
  site.facts =
      std::make_shared<plugins::FactsByPath>(plugins::FactsByPath{{"b.md", {"", "Page B", ""}}});
  const auto items =
      citation_items({{"site", "b.md", 1, 2, 0, true}, {"site", "c.md", 1, 2, 0, true}}, {site});
  EXPECT_NE(items.at(0).find(R"("title":"Page B")"), std::string::npos) << items.at(0);
  EXPECT_EQ(items.at(1).find("title"), std::string::npos) << items.at(1);
}

TEST(CitationItems, SayWhatWasMisquoted) {
  const auto items =
      citation_items({{"site", "b.md", 1, 2, 0, false, corpus::Misquotation{"a = 1", "a = 2"}},
                      {"site", "c.md", 1, 2, 0, false, corpus::Misquotation{"x", ""}}},
                     {cited()});
  EXPECT_EQ(items.at(0),
            R"({"resource":"site","path":"b.md","startLine":1,"endLine":2,"verified":false,)"
            R"("misquotation":{"quoted":"a = 1","nearest":"a = 2"}})");
  EXPECT_TRUE(items.at(1).ends_with(R"("misquotation":{"quoted":"x"}})")) << items.at(1);
}

}  // namespace
}  // namespace quarry::ask
