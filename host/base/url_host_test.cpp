#include "base/url_host.h"

#include <gtest/gtest.h>

namespace quarry {
namespace {

TEST(UrlHost, IsTheSameHoweverTheUrlWritesIt) {
  for (const char* url : {"https://Example.org/a", "https://example.org:8443/b?c",
                          "http://user:word@example.org./d", "ssh://git@EXAMPLE.ORG#x"}) {
    EXPECT_EQ(host_of_url(url), "example.org") << url;
  }
  EXPECT_EQ(host_of_url("https://[::1]:80/a"), "::1");
  EXPECT_EQ(host_of_url("https://[::1"), "::1");
}

TEST(UrlHost, IsNoneOfWhatIsNoUrl) {
  for (const char* text : {"", "react", "example.org/a", "://a", "a b://c", "https://", "/a://b"}) {
    EXPECT_EQ(host_of_url(text), "") << text;
  }
}

}  // namespace
}  // namespace quarry
