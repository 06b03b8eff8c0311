#include "url.h"

#include <gtest/gtest.h>

namespace {

using webdocs::digest;
using webdocs::name_pages;
using webdocs::parse_url;
using webdocs::resolve_reference;
using webdocs::Url;

std::string read(std::string_view text) {
  const auto url = parse_url(text);
  return url ? url->text() : "none";
}

std::string resolved(std::string_view reference) {
  const auto url = resolve_reference(*parse_url("https://a.example/docs/guide/?x"), reference);
  return url ? url->text() : "none";
}

std::vector<std::string> names(const std::vector<std::string>& urls) {
  std::vector<Url> read;
  for (const std::string& url : urls) read.push_back(*parse_url(url));
  std::vector<std::string> out;
  for (const auto& page : name_pages(read)) out.push_back(page.name);
  return out;
}

std::string name(const std::string& path) {
  return names({"https://a.example" + path}).at(0);
}

TEST(Urls, HaveOneForm) {
  EXPECT_EQ(read("HTTPS://Docs.Example.org:443"), "https://docs.example.org/");
  EXPECT_EQ(read("http://a.example:80/x?y#z"), "http://a.example/x?y");
  EXPECT_EQ(read("https://a.example:8443/ü"), "https://a.example:8443/%C3%BC");
  EXPECT_EQ(parse_url("https://[::1]:8443/")->host(), "[::1]");
  EXPECT_EQ(parse_url("https://a.example:8443/")->host(), "a.example");
}

TEST(Urls, OfOtherFormsAreRefused) {
  for (const char* const text :
       {"", "ftp://a.example/", "https://", "https:///x", "https://user@a.example/", "/docs",
        "https://a.example/a b", "https://a.example/\"", "https://a.example\\x", "https://:80/"}) {
    EXPECT_EQ(read(text), "none") << text;
  }
  EXPECT_EQ(read("https://a.example/" + std::string(3000, 'x')), "none");
  std::string wide = "https://a.example/";
  for (int i = 0; i < 400; ++i) wide += "ü";
  EXPECT_EQ(read(wide), "none") << "2,418 bytes once encoded";
}

TEST(Urls, LoseTheirDots) {
  EXPECT_EQ(read("https://a.example/a/../../b/./c/.."), "https://a.example/b/");
  EXPECT_EQ(read("https://a.example/a/%2e%2E/b/%2e"), "https://a.example/b/");
  EXPECT_EQ(read("https://a.example/.../..a"), "https://a.example/.../..a");
}

TEST(References, AreReadInTheirPage) {
  EXPECT_EQ(resolved("intro.md"), "https://a.example/docs/guide/intro.md");
  EXPECT_EQ(resolved("../api/#top"), "https://a.example/docs/api/");
  EXPECT_EQ(resolved("/x?a:b/c"), "https://a.example/x?a:b/c");
  EXPECT_EQ(resolved("?page=2"), "https://a.example/docs/guide/?page=2");
  EXPECT_EQ(resolved("//b.example/x"), "https://b.example/x");
  EXPECT_EQ(resolved("http://b.example"), "http://b.example/");
  EXPECT_EQ(resolved("#top"), "https://a.example/docs/guide/?x");
  EXPECT_EQ(resolved("mailto:a@a.example"), "none");
  EXPECT_EQ(resolved("javascript:alert(1)"), "none");
}

TEST(Names, AreThoseOfThePages) {
  EXPECT_EQ(name("/"), "index.md");
  EXPECT_EQ(name("/docs/"), "docs/index.md");
  EXPECT_EQ(name("/docs/intro.html"), "docs/intro.md");
  EXPECT_EQ(name("/docs/intro.md"), "docs/intro.md");
  EXPECT_EQ(name("/llms.txt"), "llms.txt");
  EXPECT_EQ(name("/v1.2"), "v1.2.md");
}

TEST(Names, LeadNowhereElse) {
  EXPECT_EQ(name("/a/%2e%2e/%2E%2e/etc"), "etc.md");
  EXPECT_EQ(name("/a/..%2f..%2fetc"), "a/%2E.%2F..%2Fetc.md");
  EXPECT_EQ(name("/a%00b"), "a%00b.md");
  EXPECT_EQ(name("/.git/config"), "%2Egit/config.md");
  EXPECT_EQ(name("//a///b"), "a/b.md");
  EXPECT_EQ(name("/a%zz"), "a%25zz.md");
  EXPECT_EQ(name("/.html"), "%2Ehtml.md");
}

TEST(Names, KeepTheQuery) {
  EXPECT_EQ(name("/page?id=1&b=/x"), "page%3Fid%3D1%26b%3D%2Fx.md");
  EXPECT_EQ(names({"https://a.example/p?1", "https://a.example/p?2"}),
            (std::vector<std::string>{"p%3F1.md", "p%3F2.md"}));
}

TEST(Names, OfLongPathsAreCut) {
  const std::string one = "/" + std::string(900, 'a');
  EXPECT_LE(name(one).size(), 200u);
  EXPECT_NE(name(one), name(one + "b"));
}

TEST(Names, AreDistinctWhateverTheOrder) {
  const std::string plain = "https://a.example/a";
  const std::string html = "https://a.example/a.html";
  const auto both = names({plain, html, "https://a.example/b"});
  EXPECT_EQ(both, (std::vector<std::string>{"a-" + digest(plain) + ".md",
                                            "a-" + digest(html) + ".md", "b.md"}));
  EXPECT_EQ(names({html, plain}), (std::vector<std::string>{both[1], both[0]}));
}

TEST(Names, ThatImitateADigestDoNotReplaceAPage) {
  const std::string plain = "https://a.example/a";
  const auto all = names({plain, plain + ".html", plain + "-" + digest(plain)});
  EXPECT_EQ(all.size(), 2u);
}

}  // namespace
