#include "plugins/host_files.h"

#include "base/file.h"

#include <map>
#include <quarry_test.h>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace quarry::plugins {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class HostFiles : public ::testing::Test {
 protected:
  std::vector<std::string> hosts(std::vector<std::string> files, const Json& configuration = {}) {
    Permissions permissions;
    permissions.host_files = std::move(files);
    return hosts_in_files(permissions, configuration, [this](const char* name) {
      const auto found = variables_.find(name);
      return found == variables_.end() ? nullptr : found->second.c_str();
    });
  }
  void write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(write_file_atomically(home_ / name, text));
  }

  const std::filesystem::path home_ = test_directory();
  std::map<std::string, std::string, std::less<>> variables_{{"HOME", home_.string()}};
};

TEST_F(HostFiles, NameTheHostsOfTheirUrls) {
  write(".npmrc",
        "registry=https://user@NPM.example:8443/a/\n@b:registry = \"http://[::1]:4873\"\n"
        "//other.example/:_authToken=secret\n; see https://last.example");
  EXPECT_THAT(hosts({"~/.npmrc"}), ElementsAre("npm.example", "last.example", "::1"));
}

TEST_F(HostFiles, MayBeNamedByAVariable) {
  write("elsewhere", "https://a.example");
  EXPECT_THAT(hosts({"$NPMRC"}), IsEmpty());
  variables_["NPMRC"] = (home_ / "elsewhere").string();
  EXPECT_THAT(hosts({"$NPMRC", "~/none"}), ElementsAre("a.example"));
}

TEST_F(HostFiles, OfTheOwnerNameNoneForProjects) {
  write(".npmrc", "https://a.example");
  EXPECT_THAT(hosts({"~/.npmrc"}, {{"acts_for", "project"}}), IsEmpty());
  EXPECT_THAT(hosts({"~/.npmrc"}, {{"npmrc", true}}), ElementsAre("a.example"));
}

TEST_F(HostFiles, ThatAreMissingOrTooLargeNameNone) {
  write("large", "https://a.example\n" + std::string(std::size_t{1} << 20, ' '));
  EXPECT_THAT(hosts({"~/large", "~/none", "~/."}), IsEmpty());
  variables_.clear();
  EXPECT_THAT(hosts({"~/large"}), IsEmpty());
}

TEST(HostFile, IsInTheHomeDirectoryOrNamedByAVariable) {
  for (const char* file : {"~/.npmrc", "~/.config/x/y", "$NPM_CONFIG_USERCONFIG", "$a1"}) {
    EXPECT_TRUE(is_host_file(file)) << file;
  }
  for (const char* file : {"", "/etc/npmrc", ".npmrc", "~", "~/", "~/../x", "~/a//b", "~root/x",
                           "$", "$1A", "$A/b", "$A-B"}) {
    EXPECT_FALSE(is_host_file(file)) << file;
  }
}

}  // namespace
}  // namespace quarry::plugins
