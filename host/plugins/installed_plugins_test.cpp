#include "plugins/installed_plugins.h"

#include "base/file.h"
#include "plugins/plugin_files.h"
#include "plugins/registry.h"

#include <algorithm>
#include <fstream>
#include <quarry_places.h>
#include <quarry_test.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace quarry::plugins {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kHello = "org.example.hello";

/// The plugin hello in a folder of its author, and an empty directory to install it to.
class InstalledTest : public ::testing::Test {
 protected:
  InstalledTest() {
    fs::copy(fs::path(QUARRY_BUILD_DIR) / "tests/plugins/hello", source_);
    edit("name = \"hello\"\n", "name = \"hello\"\nschema = \"schema.json\"\n");
    std::ofstream(source_ / "schema.json") << "{}";
  }
  void edit(const std::string& from, const std::string& to) {
    auto text = *read_file(source_ / "plugin.toml");
    const auto at = text.find(from);
    ASSERT_NE(at, std::string::npos) << text;
    std::ofstream(source_ / "plugin.toml") << text.replace(at, from.size(), to);
  }
  [[nodiscard]] Result<LockedPlugin> install() const {
    const auto staged = installed_.stage(source_);
    if (!staged) return staged.error();
    return installed_.install(*staged, {.source = source_.string()});
  }
  /// Code and message of a refusal, which leaves nothing behind.
  [[nodiscard]] std::string refusal() const {
    const auto done = install();
    EXPECT_FALSE(done);
    EXPECT_TRUE(names().empty());
    return done ? "none" : done.error().message;
  }
  /// Names in the directory of installed plugins, without its lock files.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(root_ / "installed")) {
      const auto name = entry.path().filename().string();
      if (name != ".lock" && name != PluginLock::kFileName) out.push_back(name);
    }
    std::ranges::sort(out);
    return out;
  }
  [[nodiscard]] std::vector<std::string> found() const {
    const auto directory = installed_.directory();
    const auto found = find_plugins({directory}, directory);
    std::vector<std::string> out;
    for (const auto& problem : found.problems) out.push_back(problem.message);
    for (const auto& manifest : found.manifests)
      out.push_back(manifest.id + " " + manifest.version);
    return out;
  }

  const fs::path root_ = test_directory();
  const fs::path source_ = root_ / "source";
  const InstalledPlugins installed_{root_ / "installed"};
};

TEST_F(InstalledTest, APluginIsFoundWithTheFilesThatItsManifestNames) {
  std::ofstream(source_ / "notes.txt") << "not named";
  std::ofstream(source_ / kSignatureFile) << "signature";
  const auto done = install();
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_TRUE(done->id.empty()) << "nothing was replaced";
  EXPECT_THAT(found(), ElementsAre("org.example.hello 1.0.0"));
  EXPECT_THAT(names(), ElementsAre(kHello));
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(installed_.folder(kHello))) {
    files.push_back(entry.path().filename());
  }
  std::ranges::sort(files);
  EXPECT_THAT(files, ElementsAre("hello.so", "plugin.toml", "plugin.toml.minisig", "schema.json"));
}

TEST_F(InstalledTest, ANewVersionReplacesTheOldOne) {
  ASSERT_TRUE(install());
  edit("version = \"1.0.0\"", "version = \"1.1.0\"");
  const auto done = install();
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->version, "1.0.0");
  EXPECT_THAT(found(), ElementsAre("org.example.hello 1.1.0"));
  EXPECT_EQ(PluginLock::read(installed_.directory())->rows().size(), 1u);
  EXPECT_THAT(names(), ElementsAre(kHello));
}

TEST_F(InstalledTest, AFailureLeavesTheOldVersion) {
  ASSERT_TRUE(install());
  edit("version = \"1.0.0\"", "version = \"1.1.0\"");
  fs::remove(source_ / "schema.json");
  EXPECT_FALSE(install());
  EXPECT_THAT(found(), ElementsAre("org.example.hello 1.0.0"));
  EXPECT_THAT(names(), ElementsAre(kHello));
}

TEST_F(InstalledTest, AFailedWriteOfTheLockFileLeavesTheOldVersion) {
  ASSERT_TRUE(install());
  edit("version = \"1.0.0\"", "version = \"1.1.0\"");
  const auto staged = installed_.stage(source_);
  ASSERT_TRUE(staged);
  const auto lock = installed_.directory() / PluginLock::kFileName;
  const auto rows = *read_file(lock);
  fs::remove(lock);
  fs::create_directory(lock);
  EXPECT_FALSE(installed_.install(*staged, {.source = "x"}));
  fs::remove(lock);
  std::ofstream(lock) << rows;
  EXPECT_THAT(found(), ElementsAre("org.example.hello 1.0.0"));
}

TEST_F(InstalledTest, AnInterruptionBetweenTheStepsLeavesAVersionThatIsFound) {
  ASSERT_TRUE(install());
  // As if the program had ended after it wrote the rows of both versions.
  auto lock = *PluginLock::read(installed_.directory());
  auto row = *lock.find(kHello);
  row.manifest_sha256 = std::string(64, 'c');
  lock.add(row);
  ASSERT_TRUE(lock.write(installed_.directory()));
  EXPECT_THAT(found(), ElementsAre("org.example.hello 1.0.0"));
  ASSERT_TRUE(install());
  EXPECT_EQ(PluginLock::read(installed_.directory())->rows().size(), 1u) << "the rest is cleared";
}

TEST_F(InstalledTest, WhatWasStagedButNotInstalledLeavesNothing) {
  {
    const auto staged = installed_.stage(source_);
    ASSERT_TRUE(staged);
    EXPECT_EQ(names().size(), 1u);
    EXPECT_TRUE(found().empty());
  }
  EXPECT_TRUE(names().empty());
}

TEST_F(InstalledTest, FoldersOfKilledProcessesAreRemovedAndThoseOfRunningOnesStay) {
  const auto staged = installed_.stage(source_);
  ASSERT_TRUE(staged);
  fs::create_directory(installed_.directory() / ".adding-killed");
  fs::create_directory(installed_.directory() / ".removing-killed");
  std::ofstream(installed_.directory() / ".plugins.lock.toml.abcdef") << "half";
  ASSERT_TRUE(install());
  EXPECT_THAT(names(), ElementsAre(staged->directory.path().filename().string(), kHello));
}

TEST_F(InstalledTest, LinksDevicesAndDirectoriesAreRefused) {
  const auto schema = source_ / "schema.json";
  fs::rename(schema, source_ / "real.json");
  fs::create_symlink("real.json", schema);
  EXPECT_THAT(refusal(), HasSubstr("schema.json is a symbolic link"));
  fs::remove(schema);
  ASSERT_EQ(::mkfifo(schema.c_str(), 0600), 0);
  EXPECT_THAT(refusal(), HasSubstr("schema.json is not a regular file"));
  fs::remove(schema);
  fs::create_directory(schema);
  EXPECT_THAT(refusal(), HasSubstr("schema.json is not a regular file"));
}

TEST_F(InstalledTest, AManifestOrASignatureThatIsALinkIsRefused) {
  fs::create_symlink("/etc/passwd", source_ / kSignatureFile);
  EXPECT_THAT(refusal(), HasSubstr("is a symbolic link"));
  fs::remove(source_ / kSignatureFile);
  fs::rename(source_ / kManifestFile, source_ / "real.toml");
  fs::create_symlink("real.toml", source_ / kManifestFile);
  EXPECT_THAT(refusal(), HasSubstr("is a symbolic link"));
}

TEST_F(InstalledTest, FilesBeyondTheirLimitsAreRefused) {
  std::ofstream(source_ / "schema.json") << std::string(kMaxSchema + 1, ' ');
  EXPECT_THAT(refusal(), HasSubstr("schema.json has more than"));
  fs::resize_file(source_ / "schema.json", 2);
  fs::resize_file(source_ / "hello.so", std::uintmax_t{kMaxFile} + 1);
  EXPECT_THAT(refusal(), HasSubstr("hello.so has more than"));
}

TEST_F(InstalledTest, AManifestThatNamesItselfAsItsFileIsRefused) {
  edit("name = \"hello.so\"", "name = \"plugin.toml\"");
  EXPECT_THAT(refusal(), HasSubstr("cannot be the plugin's shared object"));
}

TEST_F(InstalledTest, ADamagedLockFileIsNotOverwritten) {
  ASSERT_TRUE(install());
  std::ofstream(installed_.directory() / PluginLock::kFileName) << "[[plugin";
  const auto done = install();
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("plugins.lock.toml:1"));
  EXPECT_EQ(*read_file(installed_.directory() / PluginLock::kFileName), "[[plugin");
}

TEST_F(InstalledTest, RemovingLeavesNeitherFolderNorRow) {
  ASSERT_TRUE(install());
  const auto removed = installed_.remove(kHello);
  ASSERT_TRUE(removed) << removed.error().message;
  EXPECT_EQ(removed->version, "1.0.0");
  EXPECT_TRUE(names().empty());
  EXPECT_TRUE(PluginLock::read(installed_.directory())->rows().empty());
  EXPECT_EQ(installed_.remove(kHello).error().code, Code::kNotFound);
}

TEST_F(InstalledTest, AFolderWithoutARowAndARowWithoutAFolderAreRemovedToo) {
  ASSERT_TRUE(install());
  fs::remove(installed_.directory() / PluginLock::kFileName);
  EXPECT_TRUE(installed_.remove(kHello));
  EXPECT_TRUE(names().empty());
  ASSERT_TRUE(install());
  fs::remove_all(installed_.folder(kHello));
  EXPECT_TRUE(installed_.remove(kHello));
  EXPECT_TRUE(PluginLock::read(installed_.directory())->rows().empty());
}

TEST_F(InstalledTest, NothingOutsideIsRemoved) {
  ASSERT_TRUE(install());
  fs::create_directory(root_ / "other");
  for (const std::string id : {"../other", "..", ".", "", ".lock", "org.example.hello/", "/"}) {
    EXPECT_FALSE(installed_.remove(id)) << id;
  }
  EXPECT_TRUE(fs::exists(root_ / "other"));
  EXPECT_THAT(found(), ElementsAre("org.example.hello 1.0.0"));
}

TEST_F(InstalledTest, ALinkInPlaceOfAFolderIsRemovedAndNotFollowed) {
  ASSERT_TRUE(install());
  fs::remove_all(installed_.folder(kHello));
  fs::create_directory_symlink(source_, installed_.folder(kHello));
  EXPECT_TRUE(installed_.remove(kHello));
  EXPECT_TRUE(fs::exists(source_ / "plugin.toml"));
  EXPECT_TRUE(names().empty());
}

}  // namespace
}  // namespace quarry::plugins
