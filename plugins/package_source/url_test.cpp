#include "package_source/url.h"

#include <gtest/gtest.h>

namespace quarry::package_source {
namespace {

std::string canonical_url(std::string_view text) {
  std::string why;
  const auto url = Url::parse(text, &why);
  return url ? url->text() : "error: " + why;
}

TEST(Url, HasOneFormForOneAddress) {
  EXPECT_EQ(canonical_url("HTTPS://Example.ORG:443/A/x.tar"), "https://example.org/A/x.tar");
  EXPECT_EQ(canonical_url("http://example.org:80"), "http://example.org/");
  EXPECT_EQ(canonical_url("http://example.org:8080?a=b#c"), "http://example.org:8080/?a=b");
  EXPECT_EQ(canonical_url("https://[::1]:44/x"), "https://[::1]:44/x");
  EXPECT_EQ(canonical_url("https://h/a/../b/./c/.."), "https://h/b/");
  EXPECT_EQ(canonical_url("https://example.org/caf\xc3\xa9%20.zip"),
            "https://example.org/caf%C3%A9%20.zip");
}

TEST(Url, SaysWhatIsWrong) {
  for (const char* bad : {"",
                          "example.org/x.tar",
                          "//example.org/x",
                          "ftp://example.org/x",
                          "file:///etc/passwd",
                          "https://",
                          "https:///x",
                          "https://:80/",
                          "https://user@example.org/x",
                          "https://user:word@example.org/x",
                          "https://example.org:99999/x",
                          "https://h:0/",
                          "https://example.org:1x/",
                          "https://exa mple.org/",
                          "https://e\n.org/",
                          "https://h/a\nb",
                          "https://example.org\\@other.org/x",
                          "https://[::1/x",
                          "https://[]/",
                          "https://h%2ey/"}) {
    EXPECT_TRUE(canonical_url(bad).starts_with("error: "))
        << bad << " gives " << canonical_url(bad);
  }
}

TEST(Url, IsResolvedOnAPage) {
  const Url page = *Url::parse("https://example.org/simple/x/?q#f");
  const auto resolved = [&](std::string_view text) {
    const auto url = page.resolve(text);
    return url ? url->text() : "none";
  };
  EXPECT_EQ(page.resolve("a.zip#sha256=1")->fragment, "sha256=1");
  EXPECT_EQ(resolved("a.zip#sha256=1"), "https://example.org/simple/x/a.zip");
  EXPECT_EQ(resolved("../../f/a"), "https://example.org/f/a");
  EXPECT_EQ(resolved("../../../../a"), "https://example.org/a");
  EXPECT_EQ(resolved("/a/./b/.."), "https://example.org/a/");
  EXPECT_EQ(resolved("//h/a"), "https://h/a");
  EXPECT_EQ(resolved("?b"), "https://example.org/simple/x/?b");
  EXPECT_EQ(resolved(" http://h:8080/a "), "http://h:8080/a");
  for (const char* bad :
       {"file:///etc/passwd", "javascript:x", "ftp://h/a", "http://", "http://:80/", "a b",
        "http://h:99999/", "http://h:x/", "https:/a", "a\\b", "https://u:p@h/"}) {
    EXPECT_EQ(resolved(bad), "none") << bad;
  }
}

TEST(Url, HasAHostAndAFileName) {
  EXPECT_EQ(Url::parse("https://[::1]:1/")->plain_host(), "::1");
  EXPECT_EQ(Url::parse("https://H:1/a/b%20c?d")->plain_host(), "h");
  EXPECT_EQ(Url::parse("https://H:1/a/b%20c?d")->file_name(), "b c");
  EXPECT_EQ(Url::parse("https://H:1/a/")->authority(), "h:1");
}

}  // namespace
}  // namespace quarry::package_source
