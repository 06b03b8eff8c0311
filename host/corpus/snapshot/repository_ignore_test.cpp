#include "corpus/snapshot/repository_ignore.h"

#include "base/executor.h"
#include "corpus/segment/testing/directory_fixture.h"
#include "corpus/snapshot/tree_state.h"

#include <cstdlib>

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
    // What git has of this user and machine must not matter.
    ::setenv("HOME", (root_ / "home").c_str(), 1);
    ::setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
    ::unsetenv("GIT_CONFIG_GLOBAL");
    ::unsetenv("XDG_CONFIG_HOME");
  }
  /// A linked work tree of top_, as git lays it out.
  fs::path linked_work_tree() {
    write(top_ / ".git/worktrees/wt/commondir", "../..\n");
    const fs::path tree = root_ / "wt";
    write(tree / ".git", "gitdir: " + (top_ / ".git/worktrees/wt").string() + "\n");
    return tree;
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

// BurntSushi/ripgrep#1445, gitui-org/gitui#2876
TEST_F(RepositoryIgnores, IncludeTheUnsharedOnesInLinkedWorkTrees) {
  write(top_ / ".git/info/exclude", "*.o\n");
  const fs::path tree = linked_work_tree();
  EXPECT_THAT(kept(tree / "a"), ElementsAre("a.c"));
  EXPECT_THAT(kept(tree), ElementsAre("a.c", "a/a.c"));
}

TEST_F(RepositoryIgnores, IncludeThoseOfASubmodule) {
  write(top_ / ".git/modules/m/info/exclude", "*.o\n");
  write(top_ / "m/.git", "gitdir: ../.git/modules/m\n");
  EXPECT_THAT(kept(top_ / "m"), ElementsAre("a.c"));
  EXPECT_THAT(kept(top_), ElementsAre("a.c", "a.o", "m/a.c", "sub/a.o")) << "from above";
}

// nektos/act#1160, DeusData/codebase-memory-mcp#682
TEST_F(RepositoryIgnores, IncludeTheFileThatTheUserNames) {
  write(root_ / "home/.gitconfig", "[user]\n name = A\n[Core]\n excludesFile = ~/mine # all\n");
  write(root_ / "home/mine", "*.o\n");
  EXPECT_THAT(kept(top_ / "a"), ElementsAre("a.c"));
  EXPECT_THAT(kept(linked_work_tree()), ElementsAre("a.c"));
  write(top_ / ".git/info/exclude", "!a.o\n");
  EXPECT_THAT(kept(top_ / "a"), ElementsAre("a.c", "a.o", "sub/a.o"))
      << "the repository's is nearer";
  EXPECT_THAT(kept(root_ / "plain"), ElementsAre("a.c", "a.o", "sub/a.o")) << "no repository";
}

// Canop/broot#212, go-git/go-git#1210, sublimehq/sublime_merge#10
TEST_F(RepositoryIgnores, IncludeTheUsersFileAtItsUsualPlace) {
  write(root_ / "home/.config/git/ignore", "*.o\n");
  EXPECT_THAT(kept(top_ / "a"), ElementsAre("a.c"));
  ::setenv("XDG_CONFIG_HOME", (root_ / "xdg").c_str(), 1);
  EXPECT_THAT(kept(top_ / "a"), ElementsAre("a.c", "a.o", "sub/a.o"));
  write(root_ / "xdg/git/ignore", "*.c\n");
  EXPECT_THAT(kept(top_ / "a"), ElementsAre("a.o", "sub/a.o"));
}

TEST_F(RepositoryIgnores, AreNamedByTheLastConfiguration) {
  const std::string quoted = "\"" + (root_ / "two # files").string() + "\"";
  write(root_ / "home/.gitconfig", "[core]excludesfile=/nothing\n[include]\n\tpath = more\n");
  write(root_ / "home/more",
        "; more\n[core \"x\"]\nexcludesfile = /no\n[core]\n\texcludesFile = " + quoted + "\n");
  write(root_ / "two # files", "*.o\n");
  EXPECT_THAT(kept(top_ / "a"), ElementsAre("a.c"));
  write(top_ / ".git/config", "[core]\n\tbare = false\n\texcludesfile = mine\n");
  write(top_ / "mine", "*.c\nmine\n");
  EXPECT_THAT(kept(top_ / "a"), ElementsAre("a.o", "sub/a.o")) << "relative to the work tree";
}

// sharkdp/fd#651
TEST_F(RepositoryIgnores, AreNamedByAConfigurationForSomeRepositories) {
  write(root_ / "home/mine", "[core]\n excludesFile = ~/ignored\n");
  write(root_ / "home/ignored", "*.o\n");
  const auto kept_if = [&](const std::string& condition) {
    write(root_ / "home/.gitconfig", "[includeIf \"" + condition + "\"]\n path = mine\n");
    return kept(top_ / "a").size() == 1;
  };
  const std::string top = top_.string();
  EXPECT_TRUE(kept_if("gitdir:" + top + "/"));
  EXPECT_TRUE(kept_if("gitdir:" + root_.string() + "/"));
  EXPECT_TRUE(kept_if("gitdir:" + top + "/.git"));
  EXPECT_TRUE(kept_if("gitdir:top/"));
  EXPECT_TRUE(kept_if("gitdir/i:TOP/"));
  EXPECT_FALSE(kept_if("gitdir:TOP/"));
  EXPECT_FALSE(kept_if("gitdir:~/"));
  EXPECT_FALSE(kept_if("onbranch:main"));
}

TEST_F(RepositoryIgnores, AreNotSoughtForEverInConfigurationsThatIncludeThemselves) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "[include]\n path = .gitconfig\n";
  write(root_ / "home/.gitconfig", text + "[core]\n excludesfile = ~/mine\n");
  write(root_ / "home/mine", "*.o\n");
  EXPECT_THAT(kept(top_ / "a"), ElementsAre("a.c"));
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
