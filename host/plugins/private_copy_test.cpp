#include "plugins/private_copy.h"

#include "base/file.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace quarry::plugins {
namespace {

TEST(PrivateCopy, HoldsTheBytesUnderAPathThatIsTakenWhileItLives) {
  std::string path;
  {
    const auto first = PrivateCopy::make("one", "bytes of one");
    const auto second = PrivateCopy::make("one", "others");
    ASSERT_TRUE(first && second);
    EXPECT_NE(first->path(), second->path());
    EXPECT_EQ(*read_file(first->path()), "bytes of one");
    path = first->path();
  }
  EXPECT_NE(::access(path.c_str(), R_OK), 0);
}

TEST(PrivateCopy, CannotBeChangedByAnybody) {
  const auto copy = PrivateCopy::make("one", "bytes");
  ASSERT_TRUE(copy);
  const Fd fd(::open(copy->path().c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_TRUE(fd);
  EXPECT_EQ(::write(fd.get(), "X", 1), -1);
  EXPECT_EQ(errno, EPERM);
  EXPECT_EQ(::ftruncate(fd.get(), 0), -1);
}

TEST(PrivateCopy, MovesWithItsOwner) {
  auto copy = PrivateCopy::make("one", "bytes");
  ASSERT_TRUE(copy);
  const PrivateCopy moved = std::move(*copy);
  EXPECT_EQ(*read_file(moved.path()), "bytes");
}

}  // namespace
}  // namespace quarry::plugins
