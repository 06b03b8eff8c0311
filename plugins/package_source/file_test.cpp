#include "package_source/file.h"

#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <unistd.h>

#include <gtest/gtest.h>

namespace quarry::package_source {
namespace {

namespace fs = std::filesystem;

class FileTest : public ::testing::Test {
 protected:
  FileTest() {
    std::string name = fs::temp_directory_path() / "file-XXXXXX";
    directory_ = ::mkdtemp(name.data());
    path_ = directory_ / "file";
  }
  ~FileTest() override { fs::remove_all(directory_); }

  fs::path directory_;
  fs::path path_;
};

TEST_F(FileTest, IsReadWholeOrNotAtAll) {
  std::ofstream(path_) << "12345";
  EXPECT_EQ(File::open(path_).read_whole(5), "12345");
  EXPECT_FALSE(File::open(path_).read_whole(4));
  EXPECT_FALSE(File().read_whole(5));
}

TEST_F(FileTest, IsNotOpenedThroughALinkNorWhenItIsMissing) {
  EXPECT_FALSE(File::open(path_));
  std::ofstream(directory_ / "target") << "secret";
  fs::create_symlink(directory_ / "target", path_);
  EXPECT_FALSE(File::open(path_));
  EXPECT_FALSE(File::create(path_));
  EXPECT_EQ(File::open(directory_ / "target").read_whole(100), "secret");
}

TEST_F(FileTest, IsWrittenAtAnyPlace) {
  const File file = File::create(path_);
  ASSERT_TRUE(file.write(0, "abcdef"));
  ASSERT_TRUE(file.write(2, "XY"));
  EXPECT_EQ(file.read(1, 4), "bXYe");
  EXPECT_FALSE(file.read(4, 3));
  EXPECT_TRUE(file.truncate());
  EXPECT_EQ(file.size(), 0u);
  EXPECT_EQ(fs::symlink_status(path_).permissions() & fs::perms(077), fs::perms::none);
  EXPECT_TRUE(File::in_memory().write(0, "x"));
}

TEST_F(FileTest, IsNotWrittenToAFullDisk) {
  if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "there is no /dev/full";
  const File full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  EXPECT_FALSE(full.write(0, "x"));
  EXPECT_EQ(errno, ENOSPC);
}

TEST_F(FileTest, ClosesItsDescriptorOnce) {
  const int descriptor = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  File one(descriptor);
  {
    const File two(std::move(one));
    EXPECT_TRUE(two);
    EXPECT_FALSE(one);
    EXPECT_EQ(::fcntl(descriptor, F_GETFD), FD_CLOEXEC);
  }
  EXPECT_EQ(::fcntl(descriptor, F_GETFD), -1);
}

}  // namespace
}  // namespace quarry::package_source
