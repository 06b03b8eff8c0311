#include "plugins/plugin_archive.h"

#include "base/file.h"
#include "plugins/manifest.h"
#include "plugins/plugin_files.h"

#include <cstdlib>
#include <fstream>
#include <quarry_places.h>
#include <quarry_test.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::plugins {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// The plugin hello in a folder, to be packed by tar and unpacked again.
class Archive : public ::testing::Test {
 protected:
  Archive() {
    fs::copy(fs::path(QUARRY_BUILD_DIR) / "tests/plugins/hello", root_ / "hello");
    fs::create_directory(root_ / "out");
  }
  /// Runs tar in the folder's parent.
  fs::path pack(const std::string& name, const std::string& members = "hello") {
    const std::string command =
        "cd " + root_.string() + " && tar -cf " + name + " --auto-compress " + members;
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    return root_ / name;
  }
  Status unpack(const fs::path& archive, const services::Call& call = {}) {
    return unpack_plugin(archive, root_ / "out", services::ProcessRunner(path_, "/"), call);
  }
  /// Message of a refusal, which wrote no file.
  std::string refusal(const fs::path& archive, const services::Call& call = {}) {
    const auto done = unpack(archive, call);
    EXPECT_TRUE(fs::is_empty(root_ / "out"));
    if (done) return "none";
    EXPECT_FALSE(done.error().hint.empty()) << done.error().message;
    return done.error().message;
  }

  const fs::path root_ = test_directory();
  std::string path_ = "/usr/bin:/bin";
};

TEST_F(Archive, IsNamedByItsEnding) {
  for (const auto* name : {"a.tar.zst", "a.tar.gz", "a.tgz"}) EXPECT_TRUE(is_archive(name)) << name;
  for (const auto* name : {"a.tar", "a.zip", "zst", "a.gz", ""}) EXPECT_FALSE(is_archive(name));
}

TEST_F(Archive, OfEitherKindIsUnpacked) {
  std::ofstream(root_ / "hello/README") << "not named by the manifest";
  for (const auto* name : {"x.tar.zst", "x.tar.gz", "x.tgz", "with:colon.tar.gz", "-x.tar.gz"}) {
    const auto packed = pack("y" + std::string(name).substr(std::string(name).find(".t")));
    fs::rename(packed, root_ / name);
    const auto done = unpack(root_ / name);
    ASSERT_TRUE(done) << name << done.error().message;
    EXPECT_EQ(read_manifest(root_ / "out/plugin.toml")->id, "org.example.hello");
    EXPECT_EQ(*read_file(root_ / "out/hello.so"), *read_file(root_ / "hello/hello.so"));
    EXPECT_FALSE(fs::exists(root_ / "out/README"));
    fs::remove_all(root_ / "out");
    fs::create_directory(root_ / "out");
  }
}

TEST_F(Archive, WithItsFilesAtTheTopIsUnpackedToo) {
  EXPECT_TRUE(unpack(pack("x.tar.zst", "-C hello .")));
  EXPECT_TRUE(fs::exists(root_ / "out/hello.so"));
}

TEST_F(Archive, ThatIsCutAnywhereIsRefused) {
  const auto whole = *read_file(pack("x.tar.gz"));
  for (const std::size_t part : {0u, 1u, 2u, 3u}) {
    std::ofstream(root_ / "cut.tar.gz", std::ios::binary)
        << whole.substr(0, whole.size() * part / 4);
    EXPECT_THAT(refusal(root_ / "cut.tar.gz"), HasSubstr("cut.tar.gz"));
  }
}

TEST_F(Archive, OfSomethingElseIsRefused) {
  std::ofstream(root_ / "x.tar.zst") << "this is no archive";
  EXPECT_THAT(refusal(root_ / "x.tar.zst"), HasSubstr("cannot be unpacked"));
  fs::create_directory(root_ / "d.tar.gz");
  EXPECT_THAT(refusal(root_ / "d.tar.gz"), HasSubstr("is not a regular file"));
}

TEST_F(Archive, WithALinkIsRefusedThoughNothingNamesIt) {
  fs::create_symlink("/etc/passwd", root_ / "hello/link");
  EXPECT_THAT(refusal(pack("x.tar.gz")), HasSubstr("hello/link"));
}

TEST_F(Archive, WithoutAFileOfItsManifestIsRefused) {
  fs::remove(root_ / "hello/hello.so");
  const auto done = unpack(pack("x.tar.gz"));
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("has no hello/hello.so"));
}

TEST_F(Archive, WithAManifestThatIsTooLargeIsRefused) {
  fs::resize_file(root_ / "hello/plugin.toml", kMaxManifest + 1);
  const auto done = unpack(pack("x.tar.gz"));
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("plugin.toml has more than"));
}

TEST_F(Archive, IsNotUnpackedAfterTheCallIsOver) {
  const services::Call over{.state = [] { return Code::kCancelled; }};
  const auto done = unpack(pack("x.tar.gz"), over);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, Code::kCancelled);
}

TEST_F(Archive, NeedsTheProgramTar) {
  const auto packed = pack("x.tar.gz");
  path_ = "/nonexistent";
  EXPECT_THAT(refusal(packed), HasSubstr("tar"));
}

}  // namespace
}  // namespace quarry::plugins
