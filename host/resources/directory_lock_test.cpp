#include "resources/directory_lock.h"

#include "resources/testing/setting.h"

#include <gtest/gtest.h>

namespace quarry::resources {
namespace {

namespace fs = std::filesystem;
using Mode = DirectoryLock::Mode;

TEST(DirectoryLock, IsSharedByReadersAndExcludesARemover) {
  const TempDirectory temp;
  auto one = DirectoryLock::try_acquire(temp.path(), Mode::kShared);
  auto two = DirectoryLock::try_acquire(temp.path(), Mode::kShared);
  ASSERT_TRUE(one && two);
  EXPECT_EQ(DirectoryLock::try_acquire(temp.path(), Mode::kExclusive).error().code,
            Code::kUnavailable);
  one = Error{};
  two = Error{};
  EXPECT_TRUE(DirectoryLock::try_acquire(temp.path(), Mode::kExclusive));
}

TEST(DirectoryLock, GoesWithTheDirectoryWhenThatIsRenamed) {
  const TempDirectory temp;
  fs::create_directory(temp.path() / "a");
  const auto lock = DirectoryLock::try_acquire(temp.path() / "a", Mode::kShared);
  fs::rename(temp.path() / "a", temp.path() / "b");
  EXPECT_FALSE(DirectoryLock::try_acquire(temp.path() / "b", Mode::kExclusive));
}

TEST(DirectoryLock, SaysThatThereIsNoDirectoryAndMakesNone) {
  const TempDirectory temp;
  EXPECT_EQ(DirectoryLock::acquire(temp.path() / "a", Mode::kShared).error().code, Code::kNotFound);
  EXPECT_FALSE(fs::exists(temp.path() / "a"));
}

TEST(DirectoryLock, AWaiterForARemovedDirectoryGetsNone) {
  const TempDirectory temp;
  fs::create_directory(temp.path() / "a");
  auto lock = DirectoryLock::try_acquire(temp.path() / "a", Mode::kExclusive);
  auto waiter = std::async(std::launch::async, [&] {
    return DirectoryLock::acquire(temp.path() / "a", Mode::kShared).error().code;
  });
  fs::rename(temp.path() / "a", temp.path() / "removed");
  lock = Error{};
  EXPECT_EQ(waiter.get(), Code::kNotFound);
}

}  // namespace
}  // namespace quarry::resources
