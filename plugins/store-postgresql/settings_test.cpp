#include "store-postgresql/settings.h"

#include <gmock/gmock.h>

namespace quarry::store_postgresql {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string complaint(std::string_view configuration) {
  const auto read = Settings::read(configuration);
  return read ? "none" : read.failure().message + " " + read.failure().hint;
}

TEST(Settings, NameTheSecretOrAUrlWithoutOne) {
  const auto secret = Settings::read(R"({"url":"store.url","connections":20})");
  ASSERT_TRUE(secret);
  EXPECT_TRUE(secret->is_secret());
  EXPECT_EQ(secret->connections, 20u);
  const auto plain = Settings::read(R"({"url":"postgresql://quarry@/docs?host=/run/postgresql"})");
  ASSERT_TRUE(plain);
  EXPECT_FALSE(plain->is_secret());
  EXPECT_EQ(plain->connections, 8u);
}

TEST(Settings, NeedAUrl) {
  EXPECT_THAT(complaint("{}"), AllOf(HasSubstr("url must be the URL"), HasSubstr("env =")));
  EXPECT_THAT(complaint(R"({"url":7})"), HasSubstr("url must be the URL"));
}

TEST(Settings, AreKnown) {
  EXPECT_THAT(complaint(R"({"urrl":"postgresql://u@h/d"})"),
              HasSubstr("urrl is not known; known here: provider, url, connections"));
  EXPECT_THAT(complaint("[]"), HasSubstr("must be an object"));
}

TEST(Settings, NeverQuoteAUrl) {
  for (const char* url : {"https://u:hunter2@host/d", "postgresql://u:hunter2@[host/d",
                          "postgresql://u:hunter2@host/d?wrong=1", "host=x password=hunter2"}) {
    EXPECT_THAT(complaint(std::string(R"({"url":")") + url + "\"}"),
                AllOf(HasSubstr("is not a URL of a PostgreSQL"), Not(HasSubstr("hunter2"))))
        << url;
  }
}

TEST(Settings, KeepPasswordsOutOfTheFile) {
  for (const char* url :
       {"postgresql://u:hunter2@host/d", "postgres://u@host/d?password=hunter2"}) {
    EXPECT_THAT(complaint(std::string(R"({"url":")") + url + "\"}"),
                AllOf(HasSubstr("holds a password"), Not(HasSubstr("hunter2"))))
        << url;
  }
}

TEST(Settings, BoundTheConnections) {
  for (const char* number : {"0", "1001", "-1", "1.5", "\"8\""}) {
    EXPECT_THAT(
        complaint(std::string(R"({"url":"postgresql://u@h/d","connections":)") + number + "}"),
        HasSubstr("connections must be a whole number"))
        << number;
  }
}

}  // namespace
}  // namespace quarry::store_postgresql
