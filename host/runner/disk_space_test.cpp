#include "runner/disk_space.h"

#include "base/file.h"

#include <fcntl.h>
#include <fstream>
#include <quarry_test.h>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>

namespace quarry::runner {
namespace {

constexpr std::size_t kMebibyte = 1u << 20;

class DiskSpace : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(places_.cache); }
  [[nodiscard]] std::optional<std::uint64_t> held() const {
    return disk_space_of(::getpid(), places_);
  }
  /// A file with 1 MiB and without a name.
  [[nodiscard]] Fd unnamed_file() const {
    const auto path = places_.cache / "file";
    Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    EXPECT_TRUE(write_all(file.get(), std::string(kMebibyte, 'x')));
    EXPECT_EQ(::fsync(file.get()), 0);
    EXPECT_EQ(::unlink(path.c_str()), 0);
    return file;
  }

  const OwnPlaces places_{test_directory() / "cache", test_directory() / "data"};
};

TEST_F(DiskSpace, IsThatOfFilesAtEveryLevel) {
  const auto before = held();
  ASSERT_TRUE(before);
  std::filesystem::create_directories(places_.cache / "a/b");
  std::ofstream(places_.cache / "a/b/c") << std::string(kMebibyte, 'x');
  EXPECT_GE(held().value(), *before + kMebibyte);
}

TEST_F(DiskSpace, IsHeldByAnOpenFileWithoutAName) {
  const auto before = held().value();
  {
    const Fd file = unnamed_file();
    EXPECT_GE(held().value(), before + kMebibyte);
  }
  EXPECT_LT(held().value(), before + kMebibyte);
}

TEST_F(DiskSpace, IsHeldByAMappedFileWithoutAName) {
  const auto before = held().value();
  void* mapped = nullptr;
  {
    const Fd file = unnamed_file();
    mapped = ::mmap(nullptr, kMebibyte, PROT_READ, MAP_SHARED, file.get(), 0);
  }
  ASSERT_NE(mapped, MAP_FAILED);
  EXPECT_GE(held().value(), before + kMebibyte);
  ::munmap(mapped, kMebibyte);
}

TEST_F(DiskSpace, CannotBeMeasuredInADirectoryThatCannotBeRead) {
  if (::geteuid() == 0) GTEST_SKIP() << "root reads every directory";
  const auto closed = places_.cache / "closed";
  std::filesystem::create_directory(closed);
  ASSERT_EQ(::chmod(closed.c_str(), 0), 0);
  EXPECT_FALSE(held());
  ASSERT_EQ(::chmod(closed.c_str(), 0700), 0);
}

TEST_F(DiskSpace, CannotBeMeasuredBeyondSoManyLevels) {
  auto deep = places_.cache;
  for (int level = 1; level < kMostLevels; ++level) deep /= "d";
  std::filesystem::create_directories(deep);
  EXPECT_TRUE(held());
  std::filesystem::create_directory(deep / "d");
  EXPECT_FALSE(held());
}

TEST_F(DiskSpace, FollowsNoLink) {
  const auto other = test_directory();
  std::ofstream(other / "large") << std::string(kMebibyte, 'x');
  const auto before = held().value();
  std::filesystem::create_directory_symlink(other, places_.cache / "link");
  EXPECT_LT(held().value(), before + kMebibyte);
}

}  // namespace
}  // namespace quarry::runner
