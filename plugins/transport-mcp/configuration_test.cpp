#include "transport-mcp/configuration.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace quarry::transport_mcp {
namespace {

TEST(McpConfiguration, ListensOnLoopbackByDefault) {
  const auto read = read_configuration("");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->listen.at(0).url(), "http://127.0.0.1:8081");
  EXPECT_FALSE(read->is_exposed());
  EXPECT_FALSE(read->sessions);
}

TEST(McpConfiguration, ReadsEverySetting) {
  const auto read = read_configuration(
      R"({"enabled":true,"listen":["10.0.0.1:1","[::1]:2"],"threads":2,"allowed_hosts":["h"],
          "allowed_origins":["https://o"],"trusted_proxies":["10.0.0.2","::1"],"sessions":true,
          "insecure":false,"max_call_ms":5,"max_body_bytes":10})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->is_exposed());
  EXPECT_TRUE(read->sessions);
  EXPECT_EQ(read->threads, 2U);
  EXPECT_EQ(read->trusted_proxies.size(), 2U);
  EXPECT_EQ(read->longest_call.count(), 5);
  EXPECT_EQ(read->limits.body_bytes, 10U);
}

TEST(McpConfiguration, NamesProxiesAsTheServerNamesItsPeers) {
  const auto read =
      read_configuration(R"({"trusted_proxies":["::ffff:10.0.0.2","FD00:0::1","10.0.0.3"]})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->trusted_proxies, (std::vector<std::string>{"10.0.0.2", "fd00::1", "10.0.0.3"}));
}

TEST(McpConfiguration, BeyondThisMachineItWantsTlsAProxyOrAnExplicitWord) {
  for (const char* listen : {"0.0.0.0:80", "[::]:80", "192.168.0.1:80"}) {
    const std::string start = std::string(R"({"listen": ")") + listen + '"';
    const auto refused = read_configuration(start + "}");
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("TLS"), std::string::npos);
    EXPECT_TRUE(read_configuration(start + R"(, "tls": {"certificate":"c","key":"k"}})"));
    EXPECT_TRUE(read_configuration(start + R"(, "trusted_proxies": ["10.0.0.1"]})"));
    EXPECT_TRUE(read_configuration(start + R"(, "insecure": true})"));
  }
}

TEST(McpConfiguration, MistakesNameTheirField) {
  for (const auto& [json, field] : std::vector<std::pair<const char*, const char*>>{
           {R"({"listen":"example.com:1"})", "/listen"},
           {R"({"trusted_proxies":["proxy.example"]})", "/trusted_proxies"},
           {R"({"tls":{"certificate":"c"}})", "/tls"},
           {R"({"tls":{"cert":"c"}})", "/tls/cert"},
           {R"({"sessions":"yes"})", "/sessions"},
           {R"({"max_call_ms":0})", "/max_call_ms"},
           {R"({"session":true})", "/session"}}) {
    const auto read = read_configuration(json);
    ASSERT_FALSE(read) << json;
    EXPECT_NE(read.error().fields.find('"' + std::string(field) + '"'), std::string::npos);
  }
}

}  // namespace
}  // namespace quarry::transport_mcp
