#include "services/http_url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::services {
namespace {

using ::testing::HasSubstr;

struct HttpUrlTest : ::testing::Test {
  Curl curl = load_curl().value();
};

TEST_F(HttpUrlTest, ReadsOddlyWrittenHostsAsTheConnectionWill) {
  const std::pair<const char*, const char*> table[] = {
      {"http://2130706433/", "127.0.0.1"},    {"http://0x7f.1/", "127.0.0.1"},
      {"http://0177.0.0.1/", "127.0.0.1"},    {"http://[::1]/", "::1"},
      {"http://EXAMPLE.org/", "EXAMPLE.org"}, {"http://%6cocalhost/", "localhost"},
  };
  for (const auto& [text, host] : table) EXPECT_EQ(HttpUrl::parse(curl, text)->host, host) << text;
}

TEST_F(HttpUrlTest, KnowsTheOrigin) {
  EXPECT_EQ(HttpUrl::parse(curl, "https://a.org/x?y")->origin(), "https://a.org:443");
  EXPECT_EQ(HttpUrl::parse(curl, "http://[2600::1]:81/")->origin(), "http://[2600::1]:81");
}

TEST_F(HttpUrlTest, ResolvesAgainstABase) {
  EXPECT_EQ(HttpUrl::parse(curl, "../c?d", "http://a.org/x/b/")->text, "http://a.org/x/c?d");
  EXPECT_EQ(HttpUrl::parse(curl, "//b.org/", "https://a.org/")->text, "https://b.org/");
}

TEST_F(HttpUrlTest, RefusesWhatIsNoPlainHttpUrl) {
  for (const char* bad : {"file:///etc/passwd", "gopher://x/", "nonsense", "", "http://",
                          "http://user:sk-canary@a.org/", "http://a b/", "javascript:1"}) {
    const auto parsed = HttpUrl::parse(curl, bad);
    ASSERT_FALSE(parsed) << bad;
    EXPECT_EQ(parsed.error().code, Code::kInvalidArgument);
    EXPECT_THAT(parsed.error().message, Not(HasSubstr("canary")));
  }
}

TEST(LoadCurl, NamesALibraryThatIsNotThereOrIsAnother) {
  EXPECT_THAT(load_curl("libnothing.so.9").error().message, HasSubstr("libnothing.so.9"));
  EXPECT_THAT(load_curl("libm.so.6").error().message, HasSubstr("has no curl_global_init"));
}

}  // namespace
}  // namespace quarry::services
