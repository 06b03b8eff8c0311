#include "resource-git/git_version.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::resource_git {
namespace {

using ::testing::HasSubstr;

std::string version_refusal(std::string_view version) {
  const auto refused = refusal_of(version);
  return refused ? refused->message : "";
}

TEST(GitVersion, IsAtLeastTheFirstThatKeepsToItsRestrictions) {
  for (const char* version : {"git version 2.31.0\n", "git version 2.39.5 (Apple Git-154)\n",
                              "git version 2.100\n", "git version 3.0.1\n", "git version 10.2\n"}) {
    EXPECT_EQ(version_refusal(version), "") << version;
  }
}

TEST(GitVersion, IsRefusedBeforeThat) {
  EXPECT_EQ(version_refusal("git version 2.30.9\n"), "git 2.30.9 is too old");
  EXPECT_EQ(version_refusal("git version 1.99"), "git 1.99 is too old");
  EXPECT_EQ(version_refusal("git version 2"), "git 2 is too old");
  EXPECT_THAT(refusal_of("git version 2.30.9")->hint, HasSubstr("2.31"));
}

TEST(GitVersion, OfWhatIsNotGitIsRefused) {
  EXPECT_THAT(version_refusal(""), HasSubstr("does not say its version"));
  EXPECT_THAT(version_refusal("busybox\nmore"), HasSubstr("but \"busybox\""));
  EXPECT_THAT(version_refusal("git version next"), HasSubstr("but \"next\""));
}

}  // namespace
}  // namespace quarry::resource_git
