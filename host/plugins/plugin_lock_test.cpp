#include "plugins/plugin_lock.h"

#include "base/file.h"
#include "base/hash.h"
#include "plugins/registry.h"

#include <fstream>
#include <quarry_places.h>
#include <quarry_test.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace quarry::plugins {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

LockedPlugin locked_row(const std::string& id) {
  return {.id = id,
          .version = "1.0.0",
          .sha256 = std::string(64, 'a'),
          .manifest_sha256 = std::string(64, 'b'),
          .source = "/somewhere",
          .key = ""};
}

/// A directory with the installed plugin org.example.hello and its row.
class Locked : public ::testing::Test {
 protected:
  Locked() {
    fs::copy(fs::path(QUARRY_BUILD_DIR) / "tests/plugins/hello", folder_);
    const auto manifest = *read_manifest(folder_ / "plugin.toml");
    auto row = locked_row(manifest.id);
    row.sha256 = manifest.sha256;
    row.manifest_sha256 = manifest.own_sha256;
    write({row});
  }
  void write(const std::vector<LockedPlugin>& rows) {
    PluginLock lock;
    for (const auto& row : rows) lock.add(row);
    ASSERT_TRUE(lock.write(root_));
  }
  void write_text(const std::string& text) { std::ofstream(root_ / PluginLock::kFileName) << text; }
  [[nodiscard]] std::string text() const { return *read_file(root_ / PluginLock::kFileName); }
  /// The problem of the only plugin, or "none".
  [[nodiscard]] std::string problem() const {
    const auto found = find_plugins({root_}, root_);
    EXPECT_EQ(found.manifests.size() + found.problems.size(), 1u);
    if (found.problems.empty()) return "none";
    EXPECT_FALSE(found.problems.front().hint.empty());
    return found.problems.front().message + " -> " + found.problems.front().hint;
  }

  const fs::path root_ = test_directory();
  const fs::path folder_ = root_ / "org.example.hello";
};

TEST_F(Locked, ThePluginOfARowIsFound) {
  EXPECT_EQ(problem(), "none");
}

TEST_F(Locked, WithoutALockFileOrARowItIsNot) {
  fs::remove(root_ / PluginLock::kFileName);
  EXPECT_THAT(problem(), HasSubstr("plugin org.example.hello is not loaded: plugins.lock.toml in"));
  write({locked_row("org.example.other")});
  EXPECT_THAT(problem(), HasSubstr("does not list it"));
  EXPECT_THAT(problem(), HasSubstr("quarry plugins add " + folder_.string()));
}

TEST_F(Locked, AnotherManifestOrFileIsNotFound) {
  const auto manifest = *read_file(folder_ / "plugin.toml");
  std::ofstream(folder_ / "plugin.toml") << manifest << "# changed\n";
  EXPECT_THAT(problem(), HasSubstr("changed since it was added"));
  std::ofstream(folder_ / "plugin.toml") << manifest;
  EXPECT_EQ(problem(), "none");
  std::ofstream(folder_ / "hello.so", std::ios::app) << "x";
  EXPECT_THAT(problem(), HasSubstr("changed since it was added"));
  fs::remove(folder_ / "hello.so");
  EXPECT_THAT(problem(), HasSubstr("hello.so"));
}

TEST_F(Locked, AFolderThatIsNotThatOfItsIdIsNotFound) {
  fs::rename(folder_, root_ / "org.example.renamed");
  EXPECT_THAT(problem(), HasSubstr("is not the folder of its id"));
}

TEST_F(Locked, OneOfTwoRowsIsEnough) {
  auto rows = PluginLock::read(root_)->rows();
  rows.push_back(locked_row("org.example.hello"));
  write(rows);
  EXPECT_EQ(problem(), "none") << "an interrupted change leaves both";
}

TEST_F(Locked, ADamagedLockFileIsNamedWithItsLine) {
  for (const std::string damaged :
       {"plugin = 1", "[[plugin]]\nid = 1", "[[plugin]]\nid = \"../x\"", "[[plugin", "\"\\xff",
        "[plugin]\nid = \"org.example.hello\"", "plugin = [1]"}) {
    write_text(damaged);
    EXPECT_THAT(problem(), HasSubstr("plugins.lock.toml:")) << damaged;
    EXPECT_THAT(problem(), HasSubstr("remove the file")) << damaged;
  }
}

TEST_F(Locked, ARowWithoutADigestIsDamaged) {
  auto damaged = text();
  const auto at = damaged.find("manifest_sha256");
  write_text(damaged.erase(at, damaged.find('\n', at) - at));
  EXPECT_THAT(problem(), HasSubstr("has no text \"manifest_sha256\""));
}

TEST_F(Locked, ALockFileThatEverybodyMayWriteIsNotRead) {
  ::chmod((root_ / PluginLock::kFileName).c_str(), 0666);
  EXPECT_THAT(problem(), HasSubstr("is writable by everyone"));
}

TEST_F(Locked, TemporaryFoldersAreNoPlugins) {
  fs::copy(folder_, root_ / ".adding-abc");
  EXPECT_EQ(problem(), "none");
}

TEST_F(Locked, OtherDirectoriesNeedNoLock) {
  fs::remove(root_ / PluginLock::kFileName);
  EXPECT_EQ(find_plugins({root_}).manifests.size(), 1u);
}

TEST(PluginLock, IsWrittenSortedAndReadAgain) {
  const auto root = test_directory();
  PluginLock lock;
  auto second = locked_row("org.example.b");
  second.source = "/with \"quotes\" \\ and \n controls \x1b and \xff";
  second.key = "RWkey";
  lock.add(second);
  lock.add(locked_row("org.example.a"));
  ASSERT_TRUE(lock.write(root));
  const auto again = PluginLock::read(root);
  ASSERT_TRUE(again) << again.error().message;
  ASSERT_EQ(again->rows().size(), 2u);
  EXPECT_EQ(again->rows()[0].id, "org.example.a");
  EXPECT_EQ(again->rows()[0].key, "");
  EXPECT_EQ(again->rows()[1].source, "/with \"quotes\" \\ and \n controls \x1b and \xef\xbf\xbd");
  EXPECT_EQ(again->rows()[1].key, "RWkey");
}

TEST(PluginLock, FindsAndRemovesRowsOfAnId) {
  PluginLock lock;
  lock.add(locked_row("org.example.a"));
  auto newer = locked_row("org.example.a");
  newer.version = "2.0.0";
  lock.add(newer);
  EXPECT_EQ(lock.find("org.example.a")->version, "2.0.0");
  lock.remove("org.example.a");
  EXPECT_EQ(lock.find("org.example.a"), nullptr);
  EXPECT_TRUE(PluginLock::read("/nonexistent")->rows().empty());
}

}  // namespace
}  // namespace quarry::plugins
