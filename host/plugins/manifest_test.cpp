#include "plugins/manifest.h"

#include "base/file.h"
#include "base/hash.h"
#include "plugins/testing/plugins_fixture.h"

#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace quarry::plugins {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST_F(Plugins, AManifestOfALaterFormatIsNotReadAnyFurther) {
  edit(add("hello") / "plugin.toml", "format = 1\nid =", "format = 2\ncalled =");
  EXPECT_THAT(problem(), HasSubstr("plugin.toml:1: \"format\" is 2, this host reads 1"));
}

TEST_F(Plugins, AManifestWithoutItsFormatIsRefused) {
  edit(add("hello") / "plugin.toml", "format = 1\n", "");
  EXPECT_THAT(problem(), HasSubstr("\"format\" must be 1"));
}

TEST_F(Plugins, AnUnknownKeyOfAManifestIsNamedWithTheNearest) {
  const Edit edits[] = {
      {"format = 1\n", "format = 1\nisolatoin = \"none\"\n",
       ":2: \"isolatoin\" is unknown; did you mean \"isolation\"?"},
      {"summary =", "sumary =", "\"sumary\" is unknown; did you mean \"summary\"?"},
      {"[abi]\n", "[abi]\nminimun = \"1.0\"\n",
       "\"minimun\" is unknown; did you mean \"minimum\"?"},
      {"[file]\n", "[file]\nmd5 = \"\"\n", "\"md5\" is unknown"},
      {"name = \"hello\"", "name = \"hello\"\nshema = \"a.json\"",
       "\"shema\" is unknown; did you mean \"schema\"?"},
      {"[permissions]\n", "[permissions]\nhost = []\n",
       "\"host\" is unknown; did you mean \"hosts\"?"}};
  expect_problems(edits);
}

TEST_F(Plugins, AnExtraTableOfAManifestIsIgnored) {
  const auto path = add("hello") / "plugin.toml";
  edit(path, "[permissions]\n",
       "[component.extra]\nlater = [1]\n\n[extra]\na.b = 1\n\n[permissions]\n");
  EXPECT_EQ(problem(), "0 problems");
  edit(path, "[extra]\na.b = 1\n", "");
  edit(path, "format = 1\n", "format = 1\nextra = 1\n");
  EXPECT_THAT(problem(), HasSubstr(":2: \"extra\" must be a table"));
}

TEST_F(Plugins, TheGrammarOfAManifestIsChecked) {
  const std::string long_version = "version = \"" + std::string(65, '1') + '"';
  const Edit edits[] = {
      {"name = \"hello\"", "name = \"https\"", "\"name\" is a scheme of URLs"},
      {"version = \"1.0.0\"", "version = \"-1\"", "\"version\" must be a version such as"},
      {"version = \"1.0.0\"", "version = \"1 0\"", "\"version\" must be a version such as"},
      {"version = \"1.0.0\"", long_version.c_str(), "\"version\" must be a version such as"},
      {"summary = \"", "summary = \"\\u001b[2J", "\"summary\" must say what the plugin is"},
      {"summary = \"", "summary = \"a\\nb", "\"summary\" must say what the plugin is"},
      {"licence = \"", "licence = \"\\t", "\"licence\" must name the licence"}};
  expect_problems(edits);
}

TEST_F(Plugins, AManifestHasTheDigestsOfItsSchemas) {
  const auto path = add("hello") / "plugin.toml";
  const std::string schema = R"({"type":"object"})";
  ASSERT_TRUE(write_file_atomically(path.parent_path() / "hello.json", schema));
  edit(path, "name = \"hello\"", "name = \"hello\"\nschema = \"hello.json\"");
  EXPECT_TRUE(read_schema(*read_manifest(path), "hello.json"));
  const std::string row = "\"hello.json\" = \"" + sha256_hex(schema) + "\"";
  edit(path, "secrets = []", "secrets = []\n[extra.schemas]\n" + row);
  EXPECT_EQ(problem(), "0 problems");
  EXPECT_TRUE(read_schema(*read_manifest(path), "hello.json"));
  ASSERT_TRUE(write_file_atomically(path.parent_path() / "hello.json", schema + " "));
  EXPECT_THAT(read_schema(*read_manifest(path), "hello.json").error().message,
              HasSubstr("hello.json is not the file whose SHA-256 its manifest has"));
  edit(path, row, "\"hello.json\" = 2");
  EXPECT_THAT(problem(), HasSubstr("\"hello.json\" must be 64 lower-case hexadecimal digits"));
  edit(path, "\"hello.json\" = 2", "\"other.json\" = \"" + sha256_hex(schema) + "\"");
  EXPECT_THAT(problem(), HasSubstr("\"other.json\" is no schema of a [[component]]"));
}

TEST_F(Plugins, AManifestSaysThatItMayBeLoadedByItsFirstUse) {
  const auto path = add("hello") / "plugin.toml";
  EXPECT_FALSE(read_manifest(path)->deferred);
  std::string last = "[extra.deferred]\nenvironment = []";
  edit(path, "secrets = []", "secrets = []\n" + last);
  EXPECT_TRUE(read_manifest(path)->deferred);
  const auto replace = [&](const std::string& next) {
    edit(path, std::exchange(last, next), next);
  };
  replace("[extra.deferred]\nenvironment = [\"HOME\", \"A_B2\"]");
  EXPECT_THAT(read_manifest(path)->environment, ElementsAre("HOME", "A_B2"));
  replace("[extra.deferred]\nenvironment = []\nlater = true");
  EXPECT_FALSE(read_manifest(path)->deferred) << "it may be a condition";
  EXPECT_EQ(problem(), "0 problems");
  for (const std::string wrong : {"", "A=B", "2A", "A B"}) {
    replace("[extra.deferred]\nenvironment = [\"" + wrong + "\"]");
    EXPECT_THAT(problem(), HasSubstr("\"environment\" lists names of environment variables"));
  }
  replace("[extra]\ndeferred = true");
  EXPECT_THAT(problem(), HasSubstr("\"deferred\" must be a table"));
}

TEST_F(Plugins, AManifestSaysTheOldestVersionsOfItsPrograms) {
  const auto path = add("hello") / "plugin.toml";
  EXPECT_TRUE(read_manifest(path)->oldest_programs.empty());
  edit(path, "programs = []\nsecrets = []",
       "programs = [\"git\", \"tar\"]\nsecrets = []\n[extra.programs]\ngit = \"2.31\"");
  EXPECT_THAT(read_manifest(path)->oldest_programs, ElementsAre(Pair("git", "2.31")));
  EXPECT_EQ(problem(), "0 problems");
  std::string last = "git = \"2.31\"";
  for (const std::string wrong : {"2.x", ".2", "2.", "2..1", ""}) {
    const std::string next = "git = \"" + wrong + "\"";
    edit(path, std::exchange(last, next), next);
    EXPECT_THAT(problem(), HasSubstr("\"git\" must be the oldest version")) << wrong;
  }
  edit(path, last, "git = 2");
  EXPECT_THAT(problem(), HasSubstr("\"git\" must be the oldest version"));
  edit(path, "[extra.programs]\ngit = 2", "[extra]\nprograms = 2");
  EXPECT_THAT(problem(), HasSubstr("\"programs\" must be a table of versions"));
  edit(path, "[extra]\nprograms = 2", "[extra.programs]\nxz = \"5.2\"");
  EXPECT_THAT(problem(), HasSubstr("\"xz\" is none of the programs in [permissions]"));
}

TEST_F(Plugins, HostsAndProgramsOfAManifestHaveAForm) {
  const auto with = [](const std::string& key, const std::string& value) {
    return key + " = [\"" + value + "\"]";
  };
  for (const char* host :
       {"https://example.org", "example.org:443", "example.org/x", "a*.example.org",
        "*.*.example.org", "*.", "", "a..b", "[::1]", "exa mple.org", "file:", "file:/etc/npmrc",
        "file:~/../x", "file:$A/b"}) {
    const std::string to = with("hosts", host);
    const Edit edits[] = {{"hosts = []", to.c_str(), "\"hosts\" lists \"*\", names such as"}};
    expect_problems(edits);
  }
  for (const char* program : {"bin/git", "./git", "..", "", "a\\nb"}) {
    const std::string to = with("programs", program);
    const Edit edits[] = {{"programs = []", to.c_str(), "\"programs\" lists names of programs"}};
    expect_problems(edits);
  }
  const auto sound = add("hello") / "plugin.toml";
  edit(sound, "hosts = []",
       with("hosts",
            R"(*", "api.example.org", "*.example.org", "192.0.2.1", "::1", "file:~/.npmrc)"));
  edit(sound, "programs = []", with("programs", R"(git", "/usr/bin/git)"));
  EXPECT_EQ(problem(), "0 problems");
}

TEST_F(Plugins, AManifestWithoutItsKeysNamesTheKey) {
  edit(add("hello") / "plugin.toml", "licence", "license");
  EXPECT_THAT(problem(), HasSubstr("\"licence\""));
}

}  // namespace
}  // namespace quarry::plugins
