#include "pricing-models-dev/settings.h"

#include <gtest/gtest.h>

namespace quarry::pricing_models_dev {
namespace {

std::string refused(std::string_view configuration) {
  const auto settings = Settings::read(configuration);
  return settings ? "accepted" : settings.failure().message;
}

TEST(Settings, HoldUnlessConfigured) {
  const auto usual = Settings::read("{}");
  ASSERT_TRUE(usual);
  EXPECT_EQ(usual->url, "https://models.dev/api.json");
  EXPECT_EQ(usual->refresh, std::chrono::hours(24));
  const auto own = Settings::read(R"({"url":"http://127.0.0.1:1/a","refresh_hours":0})");
  ASSERT_TRUE(own);
  EXPECT_EQ(own->url, "http://127.0.0.1:1/a");
  EXPECT_EQ(own->refresh, std::chrono::hours(0));
}

TEST(Settings, NameTheMemberThatIsWrong) {
  EXPECT_EQ(refused(R"({"url":"ftp://x"})"), "url must begin with http:// or https://");
  EXPECT_EQ(refused(R"({"url":7})"), "url must begin with http:// or https://");
  for (const char* hours : {"-1", "8761", "1.5", "\"24\""}) {
    EXPECT_EQ(refused(std::string(R"({"refresh_hours":)") + hours + "}"),
              "refresh_hours must be hours from 1 to 8760, or 0 for never");
  }
  EXPECT_EQ(refused(R"({"hours":1})"), "hours is not known; known here: url, refresh_hours");
  EXPECT_EQ(refused("[]"), "the configuration must be an object");
}

}  // namespace
}  // namespace quarry::pricing_models_dev
