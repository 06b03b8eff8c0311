#include "resource-archive/url.h"

#include <gtest/gtest.h>

namespace quarry::resource_archive {

namespace {

std::string canonical_url(const std::string& text) {
  std::string fragment;
  std::string why;
  const auto parsed = parse_url(text, fragment, why);
  return parsed ? parsed->text() : "error: " + why;
}

TEST(Url, HasOneFormForOneAddress) {
  EXPECT_EQ(canonical_url("HTTPS://Example.ORG:443/A/x.tar"), "https://example.org/A/x.tar");
  EXPECT_EQ(canonical_url("http://example.org:80"), "http://example.org/");
  EXPECT_EQ(canonical_url("http://example.org:8080?a=b#c"), "http://example.org:8080/?a=b");
  EXPECT_EQ(canonical_url("https://[::1]:44/x"), "https://[::1]:44/x");
  EXPECT_EQ(canonical_url("https://example.org/caf\xc3\xa9%20.zip"),
            "https://example.org/caf%C3%A9%20.zip");
}

TEST(Url, SaysWhatIsWrong) {
  for (const char* bad : {"ftp://example.org/x", "example.org/x.tar", "https://", "https:///x",
                          "https://user:word@example.org/x", "https://example.org:99999/x",
                          "https://example.org:1x/", "https://exa mple.org/", "https://e\n.org/",
                          "https://example.org\\@other.org/x", "https://[::1/x"}) {
    EXPECT_TRUE(canonical_url(bad).starts_with("error: "))
        << bad << " gives " << canonical_url(bad);
  }
}

TEST(Url, KnowsExtensionsInAnyCase) {
  EXPECT_EQ(without_extension("x-1.2.tar.gz"), "x-1.2");
  EXPECT_EQ(without_extension("X.ZIP"), "X");
  EXPECT_EQ(without_extension("x.tbz2"), "x");
  EXPECT_FALSE(without_extension(".zip"));
  EXPECT_FALSE(without_extension("x.html"));
}

}  // namespace

}  // namespace quarry::resource_archive
