#include "resource-git/credentials.h"

#include <quarry/secrets.h>
#include <quarry/testing_process.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <quarry_test.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::resource_git {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

/// A secret store with one secret; records the values that the plugin asked to hide.
struct Secrets {
  std::string value;
  std::vector<std::string> hidden;
  quarry_secrets_v1 table{
      sizeof table, this,
      [](const quarry_secrets_v1* self, const quarry_call*, quarry_text,
         const quarry_reply* reply) {
        const auto& kept = static_cast<Secrets*>(self->context)->value;
        reply->value(reply, as_text("\"" + kept + "\""));
      },
      [](const quarry_secrets_v1* self, quarry_text text) {
        static_cast<Secrets*>(self->context)->hidden.emplace_back(as_view(text));
      }};
};

class GitCredentials : public ::testing::Test {
 protected:
  void SetUp() override {
    host_.offer(QUARRY_SECRETS, &secrets_.table);
    host_.offer(QUARRY_PROCESS, processes_.get());
  }
  Outcome<Credentials> credentials(const std::string& url, const std::string& token) {
    secrets_.value = token;
    const Fields fields{*parse_location(url), "", {}, "resource.r.token"};
    return credentials_of_token(Host(host_.get()), Call(call_.get()), fields);
  }
  quarry::testing::FakeHost host_;
  quarry::testing::FakeCall call_;
  quarry::testing::RealProcesses processes_;
  Secrets secrets_;
};

TEST(GitBasic, IsBase64) {
  EXPECT_EQ(basic_authorization("Aladdin:open sesame"), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
  EXPECT_EQ(basic_authorization("a:b"), "Basic YTpi");
  EXPECT_EQ(basic_authorization("a:bc"), "Basic YTpiYw==");
}

TEST_F(GitCredentials, OfATokenNameTheUserItsForgeExpects) {
  EXPECT_EQ(credentials("https://github.com/o/r", "t")->authorization,
            basic_authorization("x-access-token:t"));
  EXPECT_EQ(credentials("https://bitbucket.org/o/r", "t")->authorization,
            basic_authorization("x-token-auth:t"));
  EXPECT_EQ(credentials("https://example.org/r", "me:word")->authorization,
            basic_authorization("me:word"));
  EXPECT_EQ(credentials("ssh://git@example.org/r", "t")->authorization, "");
}

TEST_F(GitCredentials, AreHiddenInEveryForm) {
  ASSERT_TRUE(credentials("https://example.org/r", "me:hunter2"));
  EXPECT_THAT(secrets_.hidden, AllOf(Contains("hunter2"), Contains("bWU6aHVudGVyMg==")));
}

TEST_F(GitCredentials, MustNotAddHeadersOfTheirOwn) {
  const auto refused = credentials("https://example.org/r", "t\\r\\nHost: evil");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.failure().details, HasSubstr("/token"));
}

TEST_F(GitCredentials, OfTheUsersHelpersAreAskedForInTheUsersHome) {
  namespace fs = std::filesystem;
  const std::string home = test_directory();
  std::ofstream(home + "/.gitconfig")
      << "[credential \"https://example.org\"]\n\thelper = store --file=" << home << "/words\n";
  std::ofstream(home + "/words") << "https://me:hunter2@example.org\n";
  ::setenv("XDG_CONFIG_HOME", home.c_str(), 1);
  fs::create_directories(home + "/git");
  fs::rename(home + "/.gitconfig", home + "/git/config");
  const auto found = credentials_of_helpers(Host(host_.get()), Call(call_.get()),
                                            *parse_location("https://example.org/o/r"));
  const auto unknown = credentials_of_helpers(Host(host_.get()), Call(call_.get()),
                                              *parse_location("https://example.com/o/r"));
  ::unsetenv("XDG_CONFIG_HOME");
  ASSERT_TRUE(found && unknown);
  EXPECT_EQ(found->authorization, basic_authorization("me:hunter2"));
  EXPECT_EQ(unknown->authorization, "");
  EXPECT_THAT(secrets_.hidden, Contains("hunter2"));
}

}  // namespace
}  // namespace quarry::resource_git
