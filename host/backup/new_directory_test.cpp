#include "backup/new_directory.h"

#include "base/file.h"

#include <quarry_test.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

namespace quarry::backup {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class NewDirectoryTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(root_), fs::directory_iterator()));
  }
  /// A process that begins a directory and is killed.
  void leave_a_rest(const std::string& owner) const {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const auto made = NewDirectory::make(root_ / "killed", owner);
      ::_exit(made && write_file_atomically(made->path() / "a", "half") ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
  }

  const fs::path root_ = test_directory();
};

TEST_F(NewDirectoryTest, AppearsWhenItIsPublished) {
  auto made = NewDirectory::make(root_ / "one", "owner");
  ASSERT_TRUE(made) << made.error().message;
  ASSERT_TRUE(write_file_atomically(made->path() / "a", "content"));
  EXPECT_FALSE(fs::exists(root_ / "one"));
  ASSERT_TRUE(made->publish());
  EXPECT_EQ(read_file(root_ / "one/a").value(), "content");
  EXPECT_EQ(fs::status(root_ / "one").permissions(), fs::perms::owner_all);
  EXPECT_EQ(entries(), 1u);
}

TEST_F(NewDirectoryTest, IsRemovedUnlessItIsPublished) {
  {
    auto made = NewDirectory::make(root_ / "one", "owner");
    ASSERT_TRUE(write_file_atomically(made->path() / "a", "content"));
    const auto moved = std::move(*made);
    EXPECT_EQ(entries(), 1u);
  }
  EXPECT_EQ(entries(), 0u);
}

TEST_F(NewDirectoryTest, ReplacesAnEmptyOneAndNothingElse) {
  fs::create_directory(root_ / "one");
  auto made = NewDirectory::make(root_ / "one", "owner");
  ASSERT_TRUE(made);
  ASSERT_TRUE(write_file_atomically(made->path() / "a", "content"));
  ASSERT_TRUE(made->publish());
  const auto again = NewDirectory::make(root_ / "one", "owner");
  EXPECT_EQ(again.error().code, Code::kInvalidArgument);
  EXPECT_THAT(again.error().message, HasSubstr("exists already"));
  fs::create_symlink(root_ / "nowhere", root_ / "link");
  EXPECT_FALSE(NewDirectory::make(root_ / "link", "owner"));
}

TEST_F(NewDirectoryTest, DoesNotReplaceWhatAppearedMeanwhile) {
  auto made = NewDirectory::make(root_ / "one", "owner");
  fs::create_directory(root_ / "one");
  ASSERT_TRUE(write_file_atomically(root_ / "one/a", "of another"));
  EXPECT_FALSE(made->publish());
  EXPECT_EQ(read_file(root_ / "one/a").value(), "of another");
}

TEST_F(NewDirectoryTest, WithoutItsParentNamesIt) {
  const auto made = NewDirectory::make(root_ / "none/one", "owner");
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message, HasSubstr((root_ / "none").string()));
}

TEST_F(NewDirectoryTest, RemovesWhatItsOwnerLeftWhenItWasKilled) {
  leave_a_rest("owner");
  leave_a_rest("another");
  ASSERT_EQ(entries(), 2u);
  {
    const auto made = NewDirectory::make(root_ / "one", "owner");
    EXPECT_TRUE(made->removed_a_rest());
    EXPECT_EQ(entries(), 2u) << "that of another and the new one";
  }
  const auto made = NewDirectory::make(root_ / "one", "owner");
  EXPECT_FALSE(made->removed_a_rest());
}

}  // namespace
}  // namespace quarry::backup
