#include "resource-npm/url.h"

#include <gtest/gtest.h>

namespace quarry::resource_npm {
namespace {

std::string url_text(std::string_view text) {
  const auto url = plain_url(text);
  return url ? url->text() : "none";
}

TEST(PlainUrl, IsReadInItsPlainForm) {
  EXPECT_EQ(url_text("https://Npm.Example.COM"), "https://npm.example.com/");
  EXPECT_EQ(url_text("HTTPS://x:443/A/b"), "https://x/A/b");
  EXPECT_EQ(url_text("http://x:80/"), "http://x/");
  EXPECT_EQ(url_text("http://127.0.0.1:4873/"), "http://127.0.0.1:4873/");
  EXPECT_EQ(url_text("https://[::1]:4873/a"), "https://[::1]:4873/a");
  EXPECT_EQ(url_text("https://x/@a%2fb"), "https://x/@a%2fb");
}

TEST(PlainUrl, IsNothingThatCouldMeanAnother) {
  for (const char* text : {"",
                           "x",
                           "//x/",
                           "ftp://x/",
                           "file:///etc",
                           "https://",
                           "https:///a",
                           "https://u@x/",
                           "https://u:p@x/",
                           "https://x:port/",
                           "https://x:123456/",
                           "https://x/a?b",
                           "https://x/a#b",
                           "https://x/../a",
                           "https://x/a/..",
                           "https://x/%2e%2e/a",
                           "https://x/./a",
                           "https://x/a b",
                           "https://x/a\nb",
                           "https://x\\@y/",
                           "https://[::1/",
                           "https://[]/",
                           "https://x/\xc3\xa4",
                           "https://x%2ey/"}) {
    EXPECT_EQ(url_text(text), "none") << text;
  }
}

}  // namespace
}  // namespace quarry::resource_npm
