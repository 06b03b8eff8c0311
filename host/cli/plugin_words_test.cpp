#include "cli/plugin_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(PluginWords, ForNoPermissionSayWhatIsDenied) {
  EXPECT_THAT(permission_words({}),
              ElementsAre("reaches no host, runs no program, reads no secret"));
}

TEST(PluginWords, ForEveryHostDoNotListOthers) {
  EXPECT_THAT(permission_words({.hosts = {"a.example", "*"}, .programs = {}, .secrets = {}}),
              ElementsAre("reaches every host over HTTP"));
}

TEST(PluginWords, NameHostsProgramsSecretsAndFields) {
  EXPECT_THAT(
      permission_words({.hosts = {"a.example", "*.b.example"},
                        .programs = {"git"},
                        .secrets = {"x.key"},
                        .host_fields = {"/registry", "/mirrors/first"},
                        .secret_fields = {"/token"},
                        .host_files = {"~/.npmrc", "$NPM_CONFIG_USERCONFIG"}}),
      ElementsAre("reaches over HTTP: a.example, *.b.example",
                  "reaches over HTTP the hosts that these fields name: registry, mirrors.first",
                  "reaches over HTTP the hosts of the URLs in these files of yours: ~/.npmrc, "
                  "$NPM_CONFIG_USERCONFIG",
                  "runs the programs: git", "reads the secrets: x.key",
                  "reads the secrets that these fields name: token"));
}

TEST(PluginWords, SayWhichPartsOfTheSandboxAreMissing) {
  EXPECT_THAT(sandbox_words({.landlock = 3, .seccomp = true, .memory = 1u << 30}),
              ElementsAre(HasSubstr("Landlock 3"), HasSubstr("denied"), HasSubstr("1024 MiB")));
  EXPECT_THAT(sandbox_words({}),
              ElementsAre(HasSubstr("not restricted"), HasSubstr("not restricted"),
                          HasSubstr("not limited")));
}

TEST(PluginWords, InJsonAreThoseOfTheManifest) {
  EXPECT_EQ(plugins::permissions_json({.hosts = {"a.example"},
                                       .programs = {},
                                       .secrets = {},
                                       .host_fields = {"/registry"},
                                       .secret_fields = {},
                                       .host_files = {"~/.npmrc"}})["hosts"],
            Json({"a.example", "field:/registry", "file:~/.npmrc"}));
}

}  // namespace
}  // namespace quarry::cli
