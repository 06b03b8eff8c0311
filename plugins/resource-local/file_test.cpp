#include "resource-local/file.h"

#include <quarry/testing_tree.hpp>

#include <fstream>
#include <quarry_test.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace quarry::resource_local {
namespace {

namespace fs = std::filesystem;

class LocalFile : public ::testing::Test {
 protected:
  void SetUp() override { write("one"); }
  void write(std::string_view text) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << text;
  }
  const fs::path folder_ = fs::canonical(test_directory());
  const fs::path path_ = folder_ / "notes.md";
};

TEST_F(LocalFile, IsAddedUnderItsName) {
  testing::Tree tree;
  Tree into(tree.get());
  EXPECT_FALSE(File::open(path_)->add_to(into));
  EXPECT_EQ(tree.files, (std::map<std::string, std::string>{{"notes.md", "one"}}));
}

TEST_F(LocalFile, HasAnotherVersionOnceItWasWritten) {
  const std::string before = File::open(path_)->version();
  EXPECT_EQ(File::open(path_)->version(), before);
  write("longer");
  EXPECT_NE(File::open(path_)->version(), before);
}

TEST_F(LocalFile, IsNoLinkAndNoPipe) {
  fs::create_symlink(path_, folder_ / "link");
  EXPECT_FALSE(File::open(folder_ / "link"));
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_FALSE(File::open(folder_ / "pipe"));
  EXPECT_THAT(File::open(folder_ / "missing").failure().details, ::testing::HasSubstr("/path"));
}

TEST_F(LocalFile, ThatIsTooLargeIsListedWithoutItsContent) {
  testing::Tree tree;
  Tree into(tree.get());
  write(std::string(into.file_limit() + 1, 'x'));
  EXPECT_FALSE(File::open(path_)->add_to(into));
  EXPECT_TRUE(tree.files.empty());
  EXPECT_EQ(tree.large.at("notes.md"), into.file_limit() + 1);
}

}  // namespace
}  // namespace quarry::resource_local
