#include "plugins/plugin_version.h"

#include "plugins/similar_id.h"
#include "plugins/web_url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::plugins {
namespace {

using ::testing::HasSubstr;

TEST(PluginVersion, HasThePrecedenceOfSemanticVersioning) {
  // The example of section 11, and what it does not say.
  const std::vector<std::string> ascending{"0.9",
                                           "1.0.0-alpha",
                                           "1.0.0-alpha.1",
                                           "1.0.0-alpha.beta",
                                           "1.0.0-beta",
                                           "1.0.0-beta.2",
                                           "1.0.0-beta.11",
                                           "1.0.0-rc.1",
                                           "1.0.0",
                                           "1.0.1",
                                           "1.2",
                                           "1.10.0",
                                           "2.0.0",
                                           "2.0.0.1",
                                           "99999999999999999999.0",
                                           "100000000000000000000"};
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    for (std::size_t j = 0; j < ascending.size(); ++j) {
      EXPECT_TRUE(compare_versions(ascending[i], ascending[j]) == (i <=> j))
          << ascending[i] << " " << ascending[j];
    }
  }
}

TEST(PluginVersion, IsTheSameWithMetadataZerosAndMissingParts) {
  EXPECT_TRUE(compare_versions("1.0.0+build.7", "1.0.0") == 0);
  EXPECT_TRUE(compare_versions("1.0", "1.0.0") == 0);
  EXPECT_TRUE(compare_versions("1.07", "1.7") == 0);
  EXPECT_TRUE(compare_versions("", "") == 0);
}

TEST(PluginVersion, IsAPreReleaseByItsDash) {
  EXPECT_TRUE(is_pre_release("1.0.0-beta"));
  EXPECT_FALSE(is_pre_release("1.0.0+a-b"));
  EXPECT_FALSE(is_pre_release("1.0.0"));
}

TEST(SimilarId, DiffersOnlyInCharactersThatLookAlike) {
  for (const auto& [left, right] : {std::pair{"org.example.notes", "org.example.n0tes"},
                                    {"org.example.notes", "org-example.notes"},
                                    {"org.example.notes", "orgexample.notes"},
                                    {"com.modern", "corn.modern"},
                                    {"com.wave", "com.vvave"},
                                    {"io.list", "lo.1ist"},
                                    {"org.dear", "org.clear"},
                                    {"org.s3", "org.53"}}) {
    EXPECT_TRUE(looks_alike(left, right)) << left << " " << right;
  }
  EXPECT_FALSE(looks_alike("org.example.notes", "org.example.notes"));
  EXPECT_FALSE(looks_alike("org.example.notes", "org.example.note"));
  EXPECT_FALSE(looks_alike("org.example.notes", "net.example.notes"));
}

TEST(WebUrl, IsSafeOverHttpsAndOnLoopback) {
  for (const auto* url : {"https://example.org/x", "HTTPS://example.org", "http://127.0.0.1:8/x",
                          "http://localhost/", "http://[::1]:80/x"}) {
    EXPECT_TRUE(is_safe_url(url)) << url;
  }
  for (const auto* url :
       {"http://example.org/x", "ftp://example.org/", "file:///etc/passwd", "", "https://",
        "https://me@example.org/", "http://127.0.0.1.example.org/", "/x", "javascript:1"}) {
    EXPECT_FALSE(is_safe_url(url)) << url;
  }
}

TEST(WebUrl, IsResolvedAgainstItsBase) {
  constexpr auto* kBase = "https://a.example/b/c/index.json";
  for (const auto& [reference, url] :
       {std::pair{"n.tgz", "https://a.example/b/c/n.tgz"},
        {"./n.tgz", "https://a.example/b/c/n.tgz"},
        {"../n.tgz", "https://a.example/b/n.tgz"},
        {"../../../../n.tgz", "https://a.example/n.tgz"},
        {"/n.tgz", "https://a.example/n.tgz"},
        {"//b.example/n.tgz", "https://b.example/n.tgz"},
        {"https://b.example/n.tgz", "https://b.example/n.tgz"},
        {"d/../n.tgz?x=../y", "https://a.example/b/c/n.tgz?x=../y"}}) {
    const auto resolved = resolve_url(kBase, reference);
    ASSERT_TRUE(resolved) << reference;
    EXPECT_EQ(*resolved, url);
  }
  EXPECT_EQ(*resolve_url("https://a.example", "n.tgz"), "https://a.example/n.tgz");
  EXPECT_EQ(*resolve_url("http://127.0.0.1:1/x/", "n.tgz"), "http://127.0.0.1:1/x/n.tgz");
}

TEST(WebUrl, NeverLeadsFromHttpsToSomethingElse) {
  for (const auto* reference : {"http://a.example/n.tgz", "http://127.0.0.1/n.tgz",
                                "file:///etc/n.tgz", "https://me@a.example/n.tgz", "ftp:n.tgz"}) {
    const auto resolved = resolve_url("https://a.example/index.json", reference);
    ASSERT_FALSE(resolved) << reference;
    EXPECT_EQ(resolved.error().code, Code::kPermissionDenied);
    EXPECT_THAT(resolved.error().message, HasSubstr("not an https URL"));
    EXPECT_FALSE(resolved.error().hint.empty());
  }
}

}  // namespace
}  // namespace quarry::plugins
