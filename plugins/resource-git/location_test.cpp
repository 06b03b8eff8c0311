#include "resource-git/location.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::resource_git {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string canonical(std::string_view url) {
  const auto location = parse_location(url);
  return location ? to_url(*location) : location.failure().message;
}
Failure refusal(std::string_view url) {
  const auto location = parse_location(url);
  EXPECT_FALSE(location) << url;
  return location.failure();
}

TEST(GitLocation, HasOneSpelling) {
  EXPECT_EQ(canonical("HTTPS://GitHub.COM/Owner/Name/"), "https://github.com/Owner/Name");
  EXPECT_EQ(canonical("https://example.org:443/a//b.git//"), "https://example.org/a/b.git");
  EXPECT_EQ(canonical("http://example.org:80/a"), "http://example.org/a");
  EXPECT_EQ(canonical("https://example.org:8443/a"), "https://example.org:8443/a");
  EXPECT_EQ(canonical("https://example.org./a?tab=readme#top"), "https://example.org/a");
  EXPECT_EQ(canonical("http://[::1]:8080/a"), "http://[::1]:8080/a");
  EXPECT_EQ(canonical("ssh://git@Example.org:22/a/b.git"), "ssh://git@example.org/a/b.git");
  EXPECT_EQ(canonical("git@GitHub.com:Owner/name.git"), "git@github.com:Owner/name.git");
}

TEST(GitLocation, TakesNoTransportThatRunsProgramsOrReadsFiles) {
  for (const char* url : {"ext::sh -c x", "file:///srv/repo", "git://example.org/a", "/srv/repo",
                          "../repo", "ftp://example.org/a", "javascript://example.org/a"}) {
    const Failure failure = refusal(url);
    EXPECT_EQ(failure.status, QUARRY_INVALID_ARGUMENT) << url;
    EXPECT_THAT(failure.details, HasSubstr(R"("field":"/url")")) << url;
  }
}

TEST(GitLocation, RefusesCredentialsWithoutRepeatingThem) {
  for (const char* url : {"https://user:hunter2@example.org/a", "https://hunter2@example.org/a",
                          "ssh://git:hunter2@example.org/a"}) {
    const Failure failure = refusal(url);
    EXPECT_THAT(failure.message + failure.hint + failure.details, Not(HasSubstr("hunter2")));
  }
  EXPECT_THAT(refusal("https://u:p@example.org/a").hint, HasSubstr("token"));
}

TEST(GitLocation, RefusesWhatAProgramCouldTakeForAnOption) {
  EXPECT_THAT(refusal("ssh://-oProxyCommand=x/a").message, HasSubstr("no host"));
  EXPECT_THAT(refusal("ssh://-x@example.org/a").message, HasSubstr("user"));
  refusal("git@-oProxyCommand=x:a");
  refusal("git@example.org:-x");
  refusal("https://-example.org/a");
}

TEST(GitLocation, RefusesWhatIsNoUrlOfARepository) {
  EXPECT_THAT(refusal("https://example.org/").message, HasSubstr("no repository"));
  EXPECT_THAT(refusal("https:///a").message, HasSubstr("no host"));
  EXPECT_THAT(refusal("https://example.org:99999999/a").message, HasSubstr("port"));
  EXPECT_THAT(refusal("https://example.org/a b").message, HasSubstr("space"));
  refusal("https://example.org/a\nb");
  refusal("https://ex\xc3\xa4mple.org/a");
  refusal("https://example.org../a");
  refusal("https://example.org\\@evil.org/a");
  refusal("");
}

TEST(GitLocation, DecodesPercentSigns) {
  EXPECT_EQ(percent_decoded("a%20b%2Fc"), "a b/c");
  EXPECT_EQ(percent_decoded("100%"), "100%");
  EXPECT_EQ(percent_decoded("%zz"), "%zz");
}

}  // namespace
}  // namespace quarry::resource_git
