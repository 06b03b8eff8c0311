#include "page_list.h"

#include <gtest/gtest.h>

namespace {

using webdocs::markdown_links;
using webdocs::parse_sitemap;
using Texts = std::vector<std::string>;

TEST(MarkdownLinks, AreTargetsInTheirOrder) {
  EXPECT_EQ(markdown_links("# A\n- [One](one.md): first\n- [Two](</b c> \"t\") ![i](i.png)\n"
                           "[Three](x_(y).md 'title') [not]("),
            (Texts{"one.md", "/b c", "x_(y).md", ""}));
}

TEST(Sitemaps, HaveLocations) {
  const auto pages = parse_sitemap(
      "<?xml version='1.0'?><urlset><url><loc> https://a.example/?a&amp;b\n</loc></url>"
      "<url><loc><![CDATA[https://a.example/c]]></loc><image:loc>no</image:loc><loc>cut");
  ASSERT_TRUE(pages);
  EXPECT_FALSE(pages->of_sitemaps);
  EXPECT_EQ(pages->locations, (Texts{"https://a.example/?a&b", "https://a.example/c"}));
}

TEST(Sitemaps, MayNameOthers) {
  const auto index =
      parse_sitemap("<sitemapindex><sitemap><loc>s.xml</loc></sitemap></sitemapindex>");
  ASSERT_TRUE(index);
  EXPECT_TRUE(index->of_sitemaps);
  EXPECT_EQ(index->locations, Texts{"s.xml"});
  EXPECT_FALSE(parse_sitemap("<html><loc>x</loc></html>"));
}

TEST(PageLists, AreDistinctPagesOfOneHost) {
  webdocs::PageList list;
  list.add(*webdocs::parse_url("https://a.example/docs/"),
           {"a", "a#part", "https://b.example/", "https://a.example:444/", "mailto:x", "b", "c"},
           2);
  ASSERT_EQ(list.pages.size(), 2u);
  EXPECT_EQ(list.pages[1].text(), "https://a.example/docs/b");
  EXPECT_EQ(list.on_other_hosts, 2u);
  EXPECT_EQ(list.beyond_limit, 1u);
}

}  // namespace
