#include "resource-npm/npmrc.h"

#include <quarry/base64.hpp>

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::resource_npm {
namespace {

Npmrc read_text(std::string_view text) {
  return {text, [](const std::string& name) -> std::optional<std::string> {
            static const std::map<std::string, std::string> kSet{{"TOKEN", "t0ken"},
                                                                 {"HOST", "npm.example.com"}};
            const auto found = kSet.find(name);
            return found == kSet.end() ? std::nullopt : std::optional(found->second);
          }};
}

/// The header for a URL, or "none".
std::string shown_access(const Npmrc& npmrc, std::string_view url) {
  const auto credentials = npmrc.credentials(*Url::parse(url));
  return credentials ? credentials->authorization : "none";
}

TEST(Npmrc, NamesRegistriesOfScopes) {
  const Npmrc npmrc = read_text(
      "; a comment\n# another\n\n registry = https://all.example/ \r\n"
      "@team:registry=https://team.example/npm\nstrict-ssl=false\nnonsense\n");
  EXPECT_EQ(npmrc.registry("@team"), "https://team.example/npm");
  EXPECT_EQ(npmrc.registry("@other"), "https://all.example/");
  EXPECT_EQ(npmrc.registry(""), "https://all.example/");
  EXPECT_EQ(Npmrc().registry("@team"), "");
}

TEST(Npmrc, ReadsValuesAsNpmDoes) {
  EXPECT_EQ(read_text("registry=\"https://quoted/\"").registry(""), "https://quoted/");
  EXPECT_EQ(read_text("registry='https://quoted/'").registry(""), "https://quoted/");
  EXPECT_EQ(read_text("registry=https://x/ ; comment").registry(""), "https://x/");
  EXPECT_EQ(read_text("registry=https://x/\\;y").registry(""), "https://x/;y");
  EXPECT_EQ(read_text("registry=a\nregistry=b").registry(""), "b");
  EXPECT_EQ(read_text("[section]\nregistry=a").registry(""), "");
}

TEST(Npmrc, ShowsATokenToItsOwnHostAlone) {
  const Npmrc npmrc = read_text("//npm.example.com/:_authToken=secret\n");
  EXPECT_EQ(shown_access(npmrc, "https://npm.example.com/react"), "Bearer secret");
  EXPECT_EQ(shown_access(npmrc, "https://npm.example.com/react/-/react-1.0.0.tgz"),
            "Bearer secret");
  EXPECT_EQ(shown_access(npmrc, "https://npm.example.com:8443/react"), "none");
  EXPECT_EQ(shown_access(npmrc, "https://example.com/react"), "none");
  EXPECT_EQ(shown_access(npmrc, "https://npm.example.com.evil.example/react"), "none");
}

TEST(Npmrc, PrefersTheLongestPath) {
  const Npmrc npmrc = read_text(
      "//x/:_authToken=host\n//x/team/:_authToken=team\n//x/team/sub:_authToken=sub\n"
      "//y/only/:_authToken=only\n");
  EXPECT_EQ(shown_access(npmrc, "https://x/react"), "Bearer host");
  EXPECT_EQ(shown_access(npmrc, "https://x/team/react"), "Bearer team");
  EXPECT_EQ(shown_access(npmrc, "https://x/team/sub/react"), "Bearer sub");
  EXPECT_EQ(shown_access(npmrc, "https://x/team-two/react"), "Bearer host");
  EXPECT_EQ(shown_access(npmrc, "https://y/react"), "none");
  EXPECT_EQ(shown_access(npmrc, "https://y/only/react"), "Bearer only");
}

TEST(Npmrc, KnowsNamesAndPasswordsToo) {
  const std::string password = to_base64("pass");
  const Npmrc npmrc =
      read_text("//a/:_auth=" + to_base64("u:p") +
                "\n//b/:username=user\n//b/:_password=" + password + "\n//c/:username=alone\n");
  EXPECT_EQ(shown_access(npmrc, "https://a/x"), "Basic " + to_base64("u:p"));
  EXPECT_EQ(shown_access(npmrc, "https://b/x"), "Basic " + to_base64("user:pass"));
  EXPECT_EQ(shown_access(npmrc, "https://c/x"), "none");
  EXPECT_THAT(npmrc.credentials(*Url::parse("https://b/x"))->secrets,
              ::testing::IsSupersetOf({std::string("pass"), password, to_base64("user:pass")}));
  EXPECT_THAT(npmrc.credentials(*Url::parse("https://a/x"))->secrets, ::testing::Contains("u:p"));
}

TEST(Npmrc, LeavesLinesWithoutAHostAlone) {
  const Npmrc npmrc = read_text("_authToken=secret\n_auth=c2VjcmV0\nusername=u\n_password=cA==\n");
  EXPECT_EQ(shown_access(npmrc, "https://registry.npmjs.org/react"), "none");
}

TEST(Npmrc, FillsInVariables) {
  const Npmrc npmrc = read_text(
      "//${HOST}/:_authToken=${TOKEN}\n//b/:_authToken=a-${TOKEN}-${GONE?}\n"
      "//c/:_authToken=${GONE}\n//d/:_authToken=\\${TOKEN}\n//e/:_authToken=${GONE?}\n");
  EXPECT_EQ(shown_access(npmrc, "https://npm.example.com/x"), "Bearer t0ken");
  EXPECT_EQ(shown_access(npmrc, "https://b/x"), "Bearer a-t0ken-");
  EXPECT_EQ(shown_access(npmrc, "https://c/x"), "none");
  EXPECT_EQ(npmrc.missing_variable(*Url::parse("https://c/x")), "GONE");
  EXPECT_EQ(npmrc.missing_variable(*Url::parse("https://b/x")), "");
  EXPECT_EQ(shown_access(npmrc, "https://e/x"), "none");
}

}  // namespace
}  // namespace quarry::resource_npm
