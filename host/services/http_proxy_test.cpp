#include "services/http_proxy.h"

#include <map>

#include <gtest/gtest.h>

namespace quarry::services {
namespace {

ProxySettings settings(std::map<std::string, std::string> variables) {
  return ProxySettings([&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(ProxySettings, GoByTheScheme) {
  const auto proxies = settings({{"http_proxy", "http://a:1"}, {"HTTPS_PROXY", "http://b:2"}});
  EXPECT_EQ(proxies.choose("http", "example.org"), "http://a:1");
  EXPECT_EQ(proxies.choose("https", "example.org"), "http://b:2");
  EXPECT_EQ(settings({{"ALL_PROXY", "socks5h://c"}}).choose("https", "x.org"), "socks5h://c");
}

TEST(ProxySettings, IgnoreWhatACallerOfACgiCanSet) {
  EXPECT_EQ(settings({{"HTTP_PROXY", "http://evil"}}).choose("http", "example.org"), "");
}

TEST(ProxySettings, LeaveOutWhatNoProxyNames) {
  const auto proxies =
      settings({{"all_proxy", "http://a"}, {"NO_PROXY", "corp, .lan,*.dev,10.0.0.0/8,1.2.3.4"}});
  for (const char* host : {"corp", "git.corp", "x.lan", "a.dev", "10.9.9.9", "1.2.3.4"})
    EXPECT_EQ(proxies.choose("http", host), "") << host;
  for (const char* host : {"notcorp", "example.org", "11.0.0.1", "1.2.3.5"})
    EXPECT_EQ(proxies.choose("http", host), "http://a") << host;
  EXPECT_EQ(settings({{"all_proxy", "http://a"}, {"no_proxy", "*"}}).choose("http", "x"), "");
}

TEST(ProxySettings, NeverLeadToThisMachine) {
  const auto proxies = settings({{"all_proxy", "http://a"}});
  for (const char* host : {"localhost", "a.localhost.", "127.0.0.1", "::1", "[::1]"})
    EXPECT_EQ(proxies.choose("http", host), "") << host;
}

TEST(ProxySettings, AreEmptyWhenNoUrlHasAProxy) {
  EXPECT_TRUE(ProxySettings().empty());
  EXPECT_TRUE(settings({{"no_proxy", "example.org"}}).empty());
  EXPECT_FALSE(settings({{"https_proxy", "http://a:1"}}).empty());
  EXPECT_FALSE(settings({{"http_proxy", "http://a:1"}}).empty());
}

}  // namespace
}  // namespace quarry::services
