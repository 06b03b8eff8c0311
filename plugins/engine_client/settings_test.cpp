#include "engine_client/settings.h"

#include <gtest/gtest.h>

namespace quarry::engine_client {
namespace {

TEST(Settings, LeavesWhatIsNotThereAsItIs) {
  Settings settings("");
  std::string text = "as it was";
  bool flag = true;
  unsigned number = 7;
  settings.string("text", text);
  settings.flag("flag", flag);
  settings.number("number", number, 1, 9);
  ServerSettings server;
  server.insecure = true;
  settings.server(server, "rest", "127.0.0.1:5");
  EXPECT_FALSE(settings.finish());
  EXPECT_EQ(server.listen.at(0).port, 5);
  EXPECT_TRUE(server.insecure);
  EXPECT_EQ(text, "as it was");
  EXPECT_TRUE(flag);
  EXPECT_EQ(number, 7U);
}

TEST(Settings, ReadTables) {
  Settings settings(R"({"tls":{"certificate":"c.pem","key":"k.pem"}})");
  std::string certificate, key;
  settings.table("tls", {{"certificate", &certificate}, {"key", &key}});
  EXPECT_FALSE(settings.finish());
  EXPECT_EQ(certificate, "c.pem");
  EXPECT_EQ(key, "k.pem");
}

TEST(Settings, NameTheFirstMistake) {
  for (const auto& [json, field] :
       std::vector<std::pair<const char*, const char*>>{{R"({"tls":1,"n":0})", "/tls"},
                                                        {R"({"tls":{"other":"x"}})", "/tls/other"},
                                                        {R"({"tls":{"key":1}})", "/tls/key"},
                                                        {R"({"n":0,"what":1})", "/n"},
                                                        {R"({"what":1})", "/what"}}) {
    Settings settings(json);
    std::string key;
    unsigned n = 1;
    settings.table("tls", {{"key", &key}});
    settings.number("n", n, 1, 5);
    const auto failure = settings.finish();
    ASSERT_TRUE(failure) << json;
    EXPECT_EQ(failure->tag, "ConfigError");
    EXPECT_NE(failure->fields.find('"' + std::string(field) + '"'), std::string::npos)
        << failure->fields;
  }
  EXPECT_TRUE(Settings("[]").finish());
}

}  // namespace
}  // namespace quarry::engine_client
