#include "corpus/snapshot/repository_ignore.h"

#include "base/executor.h"
#include "corpus/segment/testing/directory_fixture.h"
#include "corpus/snapshot/tree_state.h"

#include <gmock/gmock.h>

namespace quarry::corpus {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class RepositoryIgnores : public DirectoryFixture {
 protected:
  void SetUp() override {
    DirectoryFixture::SetUp();
    top_ = root_ / "top";
    fs::create_directories(top_ / ".git");
  }
  /// The files among a.c, a.o and sub/a.o in `folder` that a walk of it keeps.
  std::vector<std::string> kept(const fs::path& folder, const PackRules& rules = {}) {
    for (const char* name : {"a.c", "a.o", "sub/a.o"}) write(folder / name, "x");
    const auto state = TreeState::scan(folder, {}, rules, executor_, {});
    std::vector<std::string> out;
    for (const TreeEntry& entry : state->entries().list) out.push_back(entry.path);
    return out;
  }

  fs::path top_;
  InlineExecutor executor_;
};

TEST_F(RepositoryIgnores, HoldForAFolderInsideIt) {
  write(top_ / ".gitignore", "/a/b/sub\n");
  write(top_ / "a/.gitignore", "/b/*.o\n");
  EXPECT_THAT(kept(top_ / "a/b"), ElementsAre("a.c"));
  EXPECT_THAT(kept(top_ / "a/c"), ElementsAre("a.c", "a.o", "sub/a.o"));
}

TEST_F(RepositoryIgnores, AreOverruledByFilesNearer) {
  write(top_ / ".gitignore", "*.o\n");
  write(top_ / "a/.gitignore", "!/b/a.o\n");
  write(top_ / "a/b/sub/.gitignore", "!a.o\n");
  EXPECT_THAT(kept(top_ / "a/b"), ElementsAre("a.c", "a.o", "sub/.gitignore", "sub/a.o"));
}

TEST_F(RepositoryIgnores, IncludeTheUnsharedOnes) {
  write(top_ / ".git/info/exclude", "*.o\n");
  EXPECT_THAT(kept(top_ / "a"), ElementsAre("a.c"));
  EXPECT_THAT(kept(top_), ElementsAre("a.c", "a/a.c"));
}

TEST_F(RepositoryIgnores, AreFoundFromALinkToTheFolder) {
  write(top_ / ".gitignore", "/a/*.o\n");
  fs::create_directory(top_ / "a");
  fs::create_directory_symlink(top_ / "a", root_ / "alias");
  EXPECT_THAT(kept(root_ / "alias"), ElementsAre("a.c", "sub/a.o"));
}

TEST_F(RepositoryIgnores, AreThoseOfTheInnermostRepository) {
  write(root_ / ".gitignore", "a.c\n");
  write(top_ / ".gitignore", "*.c\n");
  write(top_ / "module/.git", "gitdir: ../.git/modules/module\n");
  EXPECT_THAT(kept(top_ / "module/a"), ElementsAre("a.c", "a.o", "sub/a.o"));
  EXPECT_THAT(kept(top_ / "a"), ElementsAre("a.o", "sub/a.o"));
}

TEST_F(RepositoryIgnores, HaveNoSayInAFolderTheyIgnoreAsAWhole) {
  write(top_ / ".gitignore", "/build/\n*.o\n");
  EXPECT_THAT(kept(top_ / "build/generated"), ElementsAre("a.c", "a.o", "sub/a.o"));
  write(top_ / ".gitignore", "*\n");
  EXPECT_THAT(kept(top_ / "project"), ElementsAre("a.c", "a.o", "sub/a.o"));
  write(top_ / ".gitignore", "/data/*\n");
  EXPECT_THAT(kept(top_ / "data"), IsEmpty());
}

TEST_F(RepositoryIgnores, AreNotReadWhenNobodyAsked) {
  write(top_ / ".gitignore", "*.o\n");
  EXPECT_THAT(kept(top_ / "a", {false, false, false}), ElementsAre("a.c", "a.o", "sub/a.o"));
}

TEST_F(RepositoryIgnores, AreNotReadThroughLinks) {
  write(root_ / "elsewhere", "*.o\n");
  fs::create_symlink(root_ / "elsewhere", top_ / ".gitignore");
  EXPECT_THAT(kept(top_ / "a"), ElementsAre("a.c", "a.o", "sub/a.o"));
}

TEST_F(RepositoryIgnores, AreAbsentOutsideOfARepository) {
  const auto ignore = read_repository_ignore(*Beneath::open("/"));
  EXPECT_THAT(ignore.files, IsEmpty());
  EXPECT_EQ(ignore.scope(), nullptr);
}

}  // namespace
}  // namespace quarry::corpus
