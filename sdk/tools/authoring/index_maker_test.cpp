#include "authoring/index_maker.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/testing/fake_clock.h"
#include "plugins/elf_file.h"
#include "plugins/manifest.h"
#include "plugins/plugin_index.h"

#include <cstdlib>
#include <elf.h>
#include <fstream>
#include <quarry_places.h>
#include <quarry_test.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::authoring {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// A folder of archives of the plugin hello.
class IndexMaking : public ::testing::Test {
 protected:
  IndexMaking() { fs::create_directories(folder_); }

  /// Packs the plugin after `sed` of its manifest.
  void pack(const std::string& archive, const std::string& edit = "s/x/x/") {
    const auto copy = root_ / "hello";
    fs::remove_all(copy);
    fs::copy(fs::path(QUARRY_BUILD_DIR) / "tests/plugins/hello", copy);
    run("sed -i '" + edit + "' " + (copy / "plugin.toml").string());
    pack_again(archive);
  }
  void pack_again(const std::string& archive) {
    run("tar --auto-compress -cf '" + (folder_ / archive).string() + "' -C " + root_.string() +
        " hello");
  }
  static void run(const std::string& command) {
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
  }
  Result<std::string> make(const std::string& base_url = "") {
    return IndexMaker{folder_, base_url, paths_, programs_, clock_}.make({});
  }
  plugins::PluginIndex made(const std::string& base_url = "") {
    const auto text = make(base_url);
    EXPECT_TRUE(text) << text.error().message;
    return text ? *plugins::parse_index(*text, "https://a.example/b/index.json")
                : plugins::PluginIndex();
  }
  std::string refusal() {
    const auto text = make();
    if (text) return "none";
    EXPECT_FALSE(text.error().hint.empty()) << text.error().message;
    return text.error().message;
  }

  const fs::path root_ = test_directory();
  const fs::path folder_ = root_ / "archives";
  services::Paths paths_{{root_ / "cache", root_ / "data", root_ / "state"}};
  services::ProcessRunner programs_{"/usr/bin:/bin", "/"};
  FakeClock clock_;
};

TEST_F(IndexMaking, DescribesEachArchiveByItsManifest) {
  pack("hello-1.tar.zst");
  pack("hello 2.tar.gz", "s/^version = .*/version = \"2.0.0\"/");
  std::ofstream(folder_ / "README") << "not an archive";
  const auto index = made();
  EXPECT_EQ(index.made, "2025-01-01T00:00:00Z");
  ASSERT_EQ(index.plugins.size(), 1u);
  const auto& plugin = index.plugins.front();
  EXPECT_EQ(plugin.id, "org.example.hello");
  EXPECT_EQ(plugin.summary, "For tests");
  ASSERT_EQ(plugin.versions.size(), 2u);
  EXPECT_EQ(plugin.versions[0].archive, "https://a.example/b/hello%202.tar.gz");
  const auto& first = plugin.versions[1];
  EXPECT_EQ(first.version, "1.0.0");
  EXPECT_EQ(first.archive, "https://a.example/b/hello-1.tar.zst");
  EXPECT_EQ(first.sha256, *sha256_file(folder_ / "hello-1.tar.zst"));
  EXPECT_EQ(first.size, fs::file_size(folder_ / "hello-1.tar.zst"));
  EXPECT_EQ(first.machine, plugins::this_machine());
  EXPECT_EQ(first.facts,
            plugins::manifest_facts(*plugins::read_manifest(root_ / "hello/plugin.toml")));
  EXPECT_TRUE(choose_version(plugin, ""));
}

TEST_F(IndexMaking, PrefixesTheBaseUrl) {
  pack("hello.tgz");
  for (const auto* base : {"https://c.example/d", "https://c.example/d/"}) {
    EXPECT_EQ(made(base).plugins.front().versions.front().archive, "https://c.example/d/hello.tgz");
  }
  for (const auto* base : {"http://c.example/", "c.example", "https://c.example/?x"}) {
    EXPECT_FALSE(make(base)) << base;
  }
}

TEST_F(IndexMaking, MarksVersionsThatWereWithdrawn) {
  pack("hello.tgz");
  std::ofstream(folder_ / kYankedList) << "# comment\n\norg.example.hello@1.0.0  lost data\n";
  EXPECT_EQ(made().plugins.front().versions.front().yanked, "lost data");
  std::ofstream(folder_ / kYankedList) << "org.example.hello@1.0.1\n";
  EXPECT_THAT(refusal(), HasSubstr("yanked.txt names org.example.hello@1.0.1"));
}

TEST_F(IndexMaking, CarriesTheSignatureOfTheManifest) {
  pack("hello.tgz");
  std::ofstream(root_ / "hello/plugin.toml.minisig") << "a signature";
  pack_again("hello.tgz");
  EXPECT_EQ(made().plugins.front().versions.front().signature, "a signature");
}

TEST_F(IndexMaking, RefusesAFolderWithoutArchivesAndOneThatIsNotThere) {
  EXPECT_THAT(refusal(), HasSubstr("has no archives of plugins"));
  fs::remove_all(folder_);
  EXPECT_FALSE(make());
}

TEST_F(IndexMaking, NamesTwoArchivesOfOneVersion) {
  pack("a.tgz");
  pack("b.tar.zst");
  EXPECT_THAT(refusal(), HasSubstr("a.tgz and b.tar.zst are both version 1.0.0"));
}

TEST_F(IndexMaking, NamesAnArchiveThatIsBroken) {
  pack("good.tgz");
  std::ofstream(folder_ / "bad.tgz") << "garbage";
  EXPECT_THAT(refusal(), HasSubstr("bad.tgz"));
}

TEST_F(IndexMaking, NamesAnArchiveWhoseFileIsNotThatOfTheManifest) {
  pack("hello.tgz");
  std::ofstream(root_ / "hello/hello.so", std::ios::app) << "x";
  pack_again("hello.tgz");
  EXPECT_THAT(refusal(), HasSubstr("hello.tgz: hello.so has the SHA-256"));
}

TEST_F(IndexMaking, TakesPluginsForOtherMachinesByTheirDigestAlone) {
  pack("hello.tgz");
  auto file = *read_file(root_ / "hello/hello.so");
  file[offsetof(Elf64_Ehdr, e_machine)] = static_cast<char>(EM_MIPS);
  file[offsetof(Elf64_Ehdr, e_machine) + 1] = 0;
  std::ofstream(root_ / "hello/hello.so", std::ios::binary) << file;
  run("sed -i 's/^sha256 = .*/sha256 = \"" + sha256_hex(file) + "\"/' " +
      (root_ / "hello/plugin.toml").string());
  pack_again("hello-mips.tgz");
  const auto index = made();
  ASSERT_EQ(index.plugins.front().versions.size(), 2u);
  EXPECT_EQ(*plugins::shared_object_machine(file), "8");
}

}  // namespace
}  // namespace quarry::authoring
