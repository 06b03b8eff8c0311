#include "base/disk_usage.h"

#include "base/file.h"

#include <fstream>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

namespace quarry {
namespace {

namespace fs = std::filesystem;

class DiskUsage : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = *make_temp_directory(fs::temp_directory_path(), "quarry-disk-usage-");
  }
  void TearDown() override { fs::remove_all(root_); }
  void write(const std::string& name, std::size_t bytes) const {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << std::string(bytes, 'x');
  }

  fs::path root_;
};

TEST_F(DiskUsage, IsWhatAllFilesBeneathTake) {
  write("a", 100'000);
  write("deep/er/b", 100'000);
  fs::create_symlink("/usr/bin", root_ / "link");
  EXPECT_GE(disk_usage(root_), 200'000u);
  EXPECT_LE(disk_usage(root_), 400'000u);
  EXPECT_EQ(disk_usage(root_ / "missing"), 0u);
}

TEST_F(DiskUsage, CountsWhatIsBesideADirectoryThatCannotBeRead) {
  if (::geteuid() == 0) GTEST_SKIP() << "root reads everything";
  for (const char* name : {"a/file", "closed/file", "z/file"}) write(name, 100'000);
  fs::permissions(root_ / "closed", fs::perms::none);
  const std::uint64_t counted = disk_usage(root_);
  fs::permissions(root_ / "closed", fs::perms::owner_all);
  EXPECT_GE(counted, 200'000u);
}

TEST_F(DiskUsage, AFileOfTwoNamesIsOneFile) {
  write("a", 1);
  fs::create_hard_link(root_ / "a", root_ / "b");
  const auto files = files_beneath(root_);
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0].inode, files[1].inode);
}

}  // namespace
}  // namespace quarry
