#include "runner/own_places.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::runner {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class Places : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::canonical(*make_temp_directory(fs::temp_directory_path(), "quarry-places-"));
    for (const auto* name : {"cache/a", "data", "other/folder", "cached"}) {
      fs::create_directories(root_ / name);
    }
    fs::create_directory_symlink(root_ / "other", root_ / "cache/link");
    places_ = {root_ / "cache", root_ / "data"};
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }
  std::string in_place(const std::string& configuration, const fs::path& directory) {
    const auto resource = "{\"where\": {\"path\": \"" + (root_ / "other").string() + "\"}}";
    const auto checked = check_in_place(configuration, resource, directory);
    return checked ? "" : checked.error().message;
  }

  fs::path root_;
  OwnPlaces places_;
};

TEST_F(Places, OfThePluginAreOpened) {
  for (const auto* name : {"cache", "cache/a", "data", "cache/../data"}) {
    EXPECT_TRUE(places_.open(root_ / name)) << name;
  }
}

TEST_F(Places, OfOthersAreNot) {
  std::ofstream(root_ / "cache/file") << "no directory";
  for (const auto* name : {"", "other", "cached", "cache/link", "cache/link/folder", "cache/file",
                           "cache/missing", "cache/../other"}) {
    const auto opened = places_.open(root_ / name);
    ASSERT_FALSE(opened) << name;
    EXPECT_EQ(opened.error().code, Code::kPermissionDenied);
  }
  EXPECT_FALSE(OwnPlaces{}.open("/"));
}

TEST_F(Places, ReadInPlaceAreThoseOfTheResource) {
  EXPECT_EQ(in_place("{}", root_ / "other"), "");
  EXPECT_EQ(in_place("{}", root_ / "other/folder"), "");
  EXPECT_EQ(in_place("{}", root_ / "cache/link/folder"), "");  // leads to it
  for (const fs::path& path : {root_ / "data", fs::path("other"), fs::path("/"), root_}) {
    EXPECT_THAT(in_place("{}", path), HasSubstr("no field of the resource names it")) << path;
  }
}

TEST_F(Places, ReadInPlaceAreBeneathLocalRoots) {
  const auto roots = [&](const char* name) {
    return "{\"local_roots\": [\"" + (root_ / name).string() + "\"], \"acts_for\": \"project\"}";
  };
  EXPECT_EQ(in_place(roots("other"), root_ / "other/folder"), "");
  EXPECT_THAT(in_place(roots("data"), root_ / "other"), HasSubstr("not beneath local_roots"));
  EXPECT_THAT(in_place(R"({"acts_for": "project"})", root_ / "other"),
              HasSubstr("projects may read only"));
}

TEST_F(Places, ScratchIsLockedAndRemoved) {
  fs::path path;
  {
    const auto scratch = Scratch::make(root_ / "cache");
    ASSERT_TRUE(scratch);
    path = (*scratch)->path();
    EXPECT_TRUE(path.filename().string().starts_with(".scratch-"));
    EXPECT_FALSE(FileLock::try_acquire(path, FileLock::Mode::kShared));
  }
  EXPECT_FALSE(fs::exists(path));
}

}  // namespace
}  // namespace quarry::runner
