#include "authoring/new_folder.h"

#include "base/file.h"

#include <algorithm>
#include <csignal>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

namespace quarry::authoring {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const FolderFiles kFiles{{"README.md", "one\n"}, {"src/deep/lib.rs", "two\n"}};

class NewFolder : public ::testing::Test {
 protected:
  void SetUp() override { root_ = *make_temp_directory(fs::temp_directory_path(), "quarry-new-"); }
  void TearDown() override { fs::remove_all(root_); }

  /// Every path beneath the root, sorted.
  [[nodiscard]] std::vector<std::string> entries() const {
    std::vector<std::string> out;
    for (const auto& entry : fs::recursive_directory_iterator(root_)) {
      out.push_back(entry.path().lexically_relative(root_).generic_string());
    }
    std::ranges::sort(out);
    return out;
  }

  fs::path root_;
};

/// Files that grow beyond `bytes` fail as on a full disk, while this lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

TEST_F(NewFolder, IsMadeWithItsFilesAndTheModesOfTheUmask) {
  const mode_t before = ::umask(022);
  const Status written = write_new_folder(root_ / "a", kFiles);
  ::umask(before);
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_THAT(entries(),
              ElementsAre("a", "a/README.md", "a/src", "a/src/deep", "a/src/deep/lib.rs"));
  EXPECT_EQ(*read_file(root_ / "a/src/deep/lib.rs"), "two\n");
  EXPECT_EQ(fs::status(root_ / "a").permissions(), fs::perms{0755});
  EXPECT_EQ(fs::status(root_ / "a/README.md").permissions(), fs::perms{0644});
}

TEST_F(NewFolder, MayBeAnEmptyDirectoryWhichIsKept) {
  struct stat before {};
  struct stat after {};
  ASSERT_EQ(::stat(root_.c_str(), &before), 0);
  ASSERT_TRUE(write_new_folder(root_, kFiles));
  ASSERT_EQ(::stat(root_.c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino) << "it may be the working directory of a shell";
  EXPECT_THAT(entries(), ElementsAre("README.md", "src", "src/deep", "src/deep/lib.rs"));
}

TEST_F(NewFolder, IsNeverOneWithContent) {
  ASSERT_TRUE(write_file_atomically(root_ / "README.md", "mine"));
  const Status written = write_new_folder(root_, kFiles);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message, root_.string() + " is not empty");
  EXPECT_EQ(written.error().hint, "Name another folder.");
  EXPECT_THAT(entries(), ElementsAre("README.md"));
  EXPECT_EQ(*read_file(root_ / "README.md"), "mine");
}

TEST_F(NewFolder, IsNeitherAFileNorALinkToNothing) {
  ASSERT_TRUE(write_file_atomically(root_ / "file", "mine"));
  EXPECT_THAT(write_new_folder(root_ / "file", kFiles).error().message,
              HasSubstr("file is not a directory"));
  fs::create_symlink("nowhere", root_ / "link");
  EXPECT_FALSE(write_new_folder(root_ / "link", kFiles));
  EXPECT_THAT(entries(), ElementsAre("file", "link"));
}

TEST_F(NewFolder, NeedsItsParent) {
  const Status written = write_new_folder(root_ / "none/a", kFiles);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, Code::kNotFound);
  EXPECT_EQ(written.error().message, (root_ / "none").string() + " is not a directory");
  EXPECT_THAT(entries(), IsEmpty());
}

TEST_F(NewFolder, LeavesNothingAfterAFailure) {
  const FolderFiles files{{"a/one", "1"}, {"b", "a text that does not fit"}, {"c", "3"}};
  fs::create_directory(root_ / "empty");
  const FileSizeLimit limit(10);
  for (const char* name : {"new", "empty"}) {
    const Status written = write_new_folder(root_ / name, files);
    ASSERT_FALSE(written) << name;
    EXPECT_THAT(written.error().message, HasSubstr("/b: write: File too large"));
    EXPECT_THAT(entries(), ElementsAre("empty")) << name;
  }
}

}  // namespace
}  // namespace quarry::authoring
