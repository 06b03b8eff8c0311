#include "resource-git/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::resource_git {
namespace {

using ::testing::HasSubstr;

TEST(GitSettings, HaveCautiousDefaults) {
  const auto settings = read_settings(R"({"local_roots":["/srv"],"ssh":null})");
  ASSERT_TRUE(settings);
  EXPECT_FALSE(settings->credential_helpers);
  EXPECT_FALSE(settings->ssh);
  EXPECT_TRUE(settings->permalinks.empty());
  EXPECT_EQ(settings->timeout, std::chrono::minutes(10));
}

TEST(GitSettings, AreRead) {
  const auto settings = read_settings(R"({"credential_helpers":true,"ssh":true,"timeout_seconds":9,
      "permalinks":{"example.org":"{url}/{path}"}})");
  ASSERT_TRUE(settings) << settings.failure().message;
  EXPECT_TRUE(settings->credential_helpers && settings->ssh);
  EXPECT_EQ(settings->timeout, std::chrono::seconds(9));
  EXPECT_EQ(settings->permalinks.at("example.org"), "{url}/{path}");
}

TEST(GitSettings, ForProjectsThereAreNeitherHelpersNorKeys) {
  const auto settings =
      read_settings(R"({"credential_helpers":true,"ssh":true,"acts_for":"project"})");
  ASSERT_TRUE(settings);
  EXPECT_TRUE(settings->for_projects);
  EXPECT_FALSE(settings->credential_helpers || settings->ssh);
}

TEST(GitSettings, NameTheMemberThatIsWrong) {
  const std::pair<const char*, const char*> table[] = {
      {R"({"ssh":"yes"})", "/ssh"},
      {R"({"credential_helpers":1})", "/credential_helpers"},
      {R"({"timeout_seconds":0})", "/timeout_seconds"},
      {R"({"timeout_seconds":1.5})", "/timeout_seconds"},
      {R"({"permalinks":[]})", "/permalinks"},
      {R"({"permalinks":{"a.b":"javascript:x"}})", "/permalinks/a.b"}};
  for (const auto& [text, field] : table) {
    const auto settings = read_settings(text);
    ASSERT_FALSE(settings) << text;
    EXPECT_THAT(settings.failure().details, HasSubstr(field)) << text;
  }
  EXPECT_FALSE(read_settings("[]"));
}

}  // namespace
}  // namespace quarry::resource_git
