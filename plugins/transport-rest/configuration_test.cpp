#include "transport-rest/configuration.h"

#include <gtest/gtest.h>

namespace quarry::rest {
namespace {

TEST(Configuration, ListensOnLoopbackByDefault) {
  for (const char* text : {"", "{}"}) {
    const auto read = read_configuration(text);
    ASSERT_TRUE(read);
    ASSERT_EQ(read->listen.size(), 1U);
    EXPECT_EQ(read->listen[0].url(), "http://127.0.0.1:8080");
    EXPECT_FALSE(read->is_exposed());
  }
}

TEST(Configuration, ReadsEverySetting) {
  const auto read = read_configuration(
      R"({"enabled": true, "listen": ["127.0.0.1:1", "[::1]:2"], "threads": 3,
          "allowed_hosts": ["h"], "allowed_origins": ["https://o"], "insecure": true,
          "max_header_bytes": 2048, "max_body_bytes": 10, "max_connections": 5,
          "header_timeout_ms": 1, "body_timeout_ms": 2, "idle_timeout_ms": 3,
          "write_timeout_ms": 4, "auth_token": "T", "tls": {"certificate": "c", "key": "k"}})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->listen.size(), 2U);
  EXPECT_EQ(read->threads, 3U);
  EXPECT_EQ(read->policy.allowed_hosts, std::vector<std::string>{"h"});
  EXPECT_EQ(read->policy.allowed_origins, std::vector<std::string>{"https://o"});
  EXPECT_EQ(read->limits.header_bytes, 2048U);
  EXPECT_EQ(read->limits.body_bytes, 10U);
  EXPECT_EQ(read->limits.connections, 5U);
  EXPECT_EQ(read->limits.header_time.count(), 1);
  EXPECT_EQ(read->limits.write_time.count(), 4);
  EXPECT_EQ(read->auth_token, "T");
  EXPECT_TRUE(read->has_tls());
}

TEST(Configuration, MistakesNameTheirField) {
  for (const auto& [text, field] : std::vector<std::pair<const char*, const char*>>{
           {R"({"listen": "example.com:80"})", "/listen"},
           {R"({"listen": []})", "/listen"},
           {R"({"listen": 8080})", "/listen"},
           {R"({"listen": ["127.0.0.1:1", 2]})", "/listen"},
           {R"({"threads": 0})", "/threads"},
           {R"({"threads": 1.5})", "/threads"},
           {R"({"max_body_bytes": "1M"})", "/max_body_bytes"},
           {R"({"max_connections": 18446744073709551615})", "/max_connections"},
           {R"({"allowed_hosts": "h"})", "/allowed_hosts"},
           {R"({"insecure": 1})", "/insecure"},
           {R"({"auth_token": {}})", "/auth_token"},
           {R"({"tls": {"key": "k"}})", "/tls"},
           {R"({"lisen": "127.0.0.1:1"})", "/lisen"}}) {
    const auto read = read_configuration(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().tag, "ConfigError");
    EXPECT_NE(read.error().fields.find(std::string("\"") + field + "\""), std::string::npos)
        << read.error().fields;
  }
  EXPECT_FALSE(read_configuration("[]"));
  EXPECT_FALSE(read_configuration("{"));
}

TEST(Configuration, AWideAddressNeedsATokenOrAnExplicitWord) {
  for (const char* listen : {"0.0.0.0:80", "[::]:80", "192.168.0.1:80"}) {
    const std::string start = std::string(R"({"listen": ")") + listen + '"';
    const auto refused = read_configuration(start + "}");
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().hint.find("insecure"), std::string::npos);
    EXPECT_TRUE(read_configuration(start + R"(, "auth_token": "T"})"));
    EXPECT_TRUE(read_configuration(start + R"(, "insecure": true})"));
  }
}

}  // namespace
}  // namespace quarry::rest
