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
  EXPECT_FALSE(ignore.scopes().in_repository);
}

TEST_F(RepositoryIgnores, HoldOnlyInARepository) {
  const fs::path plain = root_ / "plain";
  write(plain / ".gitignore", "*\n");
  EXPECT_THAT(kept(plain), ElementsAre(".gitignore", "a.c", "a.o", "sub/a.o"));
  write(plain / ".git", "gitdir: ../.git/worktrees/plain\n");
  EXPECT_THAT(kept(plain), IsEmpty()) << "the .git of a work tree may be a file";
}

TEST_F(RepositoryIgnores, BeginAnewInARepositoryWithinTheTree) {
  write(top_ / ".gitignore", "*.o\n");
  write(top_ / "module/.git/info/exclude", "sub/\n");
  write(top_ / "module/.gitignore", ".gitignore\n");
  kept(top_ / "module");
  EXPECT_THAT(kept(top_), ElementsAre(".gitignore", "a.c", "module/a.c", "module/a.o"));
}

TEST_F(RepositoryIgnores, HoldInARepositoryBeneathAPlainFolder) {
  write(root_ / "plain/repository/.git/HEAD", "x");
  write(root_ / "plain/repository/.gitignore", "*.o\n.gitignore\n");
  write(root_ / "plain/.gitignore", "*.c\n.gitignore\n");
  kept(root_ / "plain/repository");
  EXPECT_THAT(kept(root_ / "plain"),
              ElementsAre(".gitignore", "a.c", "a.o", "repository/a.c", "sub/a.o"));
}

TEST_F(RepositoryIgnores, AreOverruledByIgnoreFiles) {
  write(top_ / ".ignore", "!a.o\n*.c\n");
  write(top_ / "a/.gitignore", "*.o\n!a.c\n.gitignore\n");
  EXPECT_THAT(kept(top_ / "a"), ElementsAre("a.o", "sub/a.o"));
  write(top_ / "a/.ignore", "a.o\n.ignore\n");
  EXPECT_THAT(kept(top_ / "a"), IsEmpty()) << "the nearest .ignore comes first";
}

TEST_F(RepositoryIgnores, AreNotNeededForIgnoreFiles) {
  write(root_ / "plain/.ignore", "*.o\n");
  write(root_ / "plain/sub/.ignore", "!a.o\n.ignore\n");
  EXPECT_THAT(kept(root_ / "plain"), ElementsAre(".ignore", "a.c", "sub/a.o"));
  EXPECT_THAT(kept(root_ / "plain", {false, false, false}),
              ElementsAre(".ignore", "a.c", "a.o", "sub/.ignore", "sub/a.o"));
}

TEST_F(RepositoryIgnores, AreNamedWhenTheyLeaveNothing) {
  const auto ignored = [&](const fs::path& folder) {
    kept(folder);
    std::string out;
    const auto state = TreeState::scan(folder, {}, {}, executor_, {});
    for (const IgnoredBy& by : state->ignored()) {
      out += by.rule + " " + std::to_string(by.entries) + "; ";
    }
    return out;
  };
  write(top_ / ".gitignore", "# all\n*.o\n");
  EXPECT_EQ(ignored(top_ / "a"), "") << "a.c is left";
  write(top_ / "a/.gitignore", ".*\n*.c\n");
  EXPECT_EQ(ignored(top_ / "a"),
            "\"*.o\" in ../.gitignore:2 2; \"*.c\" in .gitignore:2 1; \".*\" in .gitignore:1 1; ");
  write(top_ / "a/.ignore", "/*\n");
  EXPECT_EQ(ignored(top_ / "a"), "\"/*\" in .ignore:1 5; ");
}

}  // namespace
}  // namespace quarry::corpus
