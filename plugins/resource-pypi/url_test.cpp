#include "resource-pypi/url.h"

#include <gtest/gtest.h>

namespace quarry::resource_pypi {
namespace {

TEST(Urls, AreResolved) {
  const Url page = *Url::parse("HTTPS://Example.org:443/simple/x/?q#f");
  EXPECT_EQ(page.text(), "https://example.org/simple/x/?q");
  const auto resolved = [&](std::string_view text) {
    const auto url = page.resolve(text);
    return url ? url->text() : "none";
  };
  EXPECT_EQ(resolved("a.zip#sha256=1"), "https://example.org/simple/x/a.zip");
  EXPECT_EQ(resolved("../../f/a"), "https://example.org/f/a");
  EXPECT_EQ(resolved("../../../../a"), "https://example.org/a");
  EXPECT_EQ(resolved("/a/./b/.."), "https://example.org/a/");
  EXPECT_EQ(resolved("//h/a"), "https://h/a");
  EXPECT_EQ(resolved("?b"), "https://example.org/simple/x/?b");
  EXPECT_EQ(resolved(" http://h:8080/a "), "http://h:8080/a");
  for (const char* bad :
       {"file:///etc/passwd", "javascript:x", "ftp://h/a", "http://", "http://:80/", "a b",
        "http://h:99999/", "http://h:x/", "https:/a", "a\\b"}) {
    EXPECT_EQ(resolved(bad), "none") << bad;
  }
}

TEST(Urls, HaveAUserAndAHost) {
  EXPECT_TRUE(Url::parse("https://u:p@h/")->has_user());
  EXPECT_EQ(Url::parse("https://u:p@H:1/")->host(), "h");
}

}  // namespace
}  // namespace quarry::resource_pypi
