#include "corpus/snapshot/git_ignore.h"

#include "base/executor.h"
#include "base/text.h"
#include "corpus/segment/testing/directory_fixture.h"
#include "corpus/snapshot/tree_state.h"

#include <cstdlib>
#include <random>

#include <gmock/gmock.h>

namespace quarry::corpus {
namespace {

namespace fs = std::filesystem;

bool ignored(std::string_view patterns, std::string_view path, bool is_directory = false) {
  const auto names = split(path, '/');
  const GitIgnore ignore = GitIgnore::parse(patterns);
  const IgnoreRule* rule = ignore.match(names, is_directory);
  return rule != nullptr && !rule->negated;
}

TEST(GitIgnore, LetsTheLastPatternThatFitsDecide) {
  EXPECT_TRUE(ignored("*.log\n", "a/b.log"));
  EXPECT_FALSE(ignored("*.log\n!keep.log\n", "keep.log"));
  EXPECT_TRUE(ignored("!keep.log\n*.log\n", "keep.log"));
}

TEST(GitIgnore, KnowsAnchorsAndDirectories) {
  EXPECT_TRUE(ignored("/build", "build"));
  EXPECT_FALSE(ignored("/build", "a/build"));
  EXPECT_FALSE(ignored("doc/*.txt", "a/doc/x.txt"));
  EXPECT_FALSE(ignored("out/", "out"));
  EXPECT_TRUE(ignored("out/", "a/out", true));
}

TEST(GitIgnore, ReadsEscapesCommentsAndBlanks) {
  EXPECT_FALSE(ignored("#a", "#a"));
  EXPECT_TRUE(ignored("\\#a", "#a"));
  EXPECT_TRUE(ignored("\\!a", "!a"));
  EXPECT_TRUE(ignored("a  \r\n", "a")) << "trailing spaces and a carriage return do not count";
  EXPECT_TRUE(ignored("a\\ ", "a "));
  EXPECT_TRUE(
      ignored("\xEF\xBB\xBF"
              "a\n",
              "a"))
      << "nor does a byte order mark";
}

TEST(GitIgnore, PassesOverPatternsThatCannotFit) {
  EXPECT_TRUE(ignored("[\n\\\n//\na\n", "a"));
  EXPECT_FALSE(ignored("a//b\n", "a/b"));
}

bool ignores(const IgnoreScope& scope, std::string_view path) {
  const IgnoreRule* rule = scope.match(path, false);
  return rule != nullptr && !rule->negated;
}

std::shared_ptr<const IgnoreScope> scope_of(std::string_view patterns, std::string_view file) {
  return std::make_shared<const IgnoreScope>("", GitIgnore::parse(patterns, file), nullptr);
}

TEST(GitIgnore, KnowsWhereARuleIsWritten) {
  const auto ignore = GitIgnore::parse("# all\n\n!/a/ \nb\x1b\r\n", "sub/.gitignore");
  EXPECT_EQ(ignore.match(std::vector<std::string_view>{"a"}, true)->origin,
            "\"!/a/\" in sub/.gitignore:3");
  EXPECT_EQ(ignore.match(std::vector<std::string_view>{"b\x1b"}, true)->origin,
            "\"b\\u001B\" in sub/.gitignore:4");
  EXPECT_EQ(ignore.match(std::vector<std::string_view>{"c"}, true), nullptr);
}

TEST(IgnoreScope, AsksTheNearestDirectoryFirst) {
  const auto top = scope_of("*.o\n/sub/x\n", ".gitignore");
  const IgnoreScope sub("sub", GitIgnore::parse("!keep.o\n/y\n"), top);
  EXPECT_TRUE(ignores(sub, "sub/a.o"));
  EXPECT_FALSE(ignores(sub, "sub/keep.o"));
  EXPECT_TRUE(ignores(sub, "sub/x"));
  EXPECT_TRUE(ignores(sub, "sub/y"));
  EXPECT_FALSE(ignores(sub, "sub/deep/y"));
}

TEST(IgnoreScope, MayLieAboveTheRootOfAWalk) {
  const auto root = IgnoreScope::enter("a/b", scope_of("/a/b/x\ny\n", ".gitignore"));
  EXPECT_TRUE(ignores(*root, "x"));
  EXPECT_FALSE(ignores(*root, "c/x"));
  const IgnoreScope below("c", GitIgnore::parse("/z\n!y\n"), root);
  EXPECT_TRUE(ignores(below, "c/z"));
  EXPECT_FALSE(ignores(below, "c/y")) << "the nearest still comes first";
}

TEST(IgnoreScopes, AskIgnoreFilesBeforeThoseOfGit) {
  const IgnoreScopes both{scope_of("!a\nb\n", ".ignore"), scope_of("a\n!b\nc\n", ".gitignore"),
                          true};
  EXPECT_EQ(both.ignoring("a", false), nullptr);
  EXPECT_EQ(both.ignoring("b", false)->origin, "\"b\" in .ignore:2");
  EXPECT_EQ(both.ignoring("c", false)->origin, "\"c\" in .gitignore:3");
  EXPECT_EQ(IgnoreScopes().ignoring("a", false), nullptr);
}

/// Random trees with random patterns, listed by git and by TreeState.
class AgainstGit : public DirectoryFixture {
 protected:
  std::string pick(std::initializer_list<const char*> choices) {
    return choices.begin()[random_() % choices.size()];
  }
  std::string name() { return pick({"a", "b", "ab", "a.c", "b.c", "x y", "#a", "!b", "[a]", "c"}); }
  std::string pattern() {
    std::string out = pick({"", "", "", "!", "/", "!/"});
    const auto parts = 1 + random_() % 3;
    for (std::size_t i = 0; i < parts; ++i) {
      if (i > 0) out += '/';
      out += pick({"a",       "b",     "*",           "**",   "*.c", "a*",  "?",
                   "[ab]",    "[!a]*", "ab",          "\\#a", "x y", "**b", "[a-c].c",
                   "\\[a\\]", "*b*",   "[[:alpha:]]", "c ",   "",    "."});
    }
    return out + pick({"", "", "/"});
  }
  void grow(const fs::path& directory, int depth) {
    fs::create_directory(directory);
    if (random_() % 2 == 0 || depth == 0) {
      std::string patterns;
      for (auto left = random_() % 4 + 1; left > 0; --left) patterns += pattern() + "\n";
      write(directory / ".gitignore", patterns);
    }
    for (int i = 0; i < 5; ++i) {
      const fs::path child = directory / name();
      if (fs::exists(child)) continue;
      if (depth < 3 && random_() % 2 == 0) {
        grow(child, depth + 1);
      } else {
        write(child, "x");
      }
    }
  }
  std::vector<std::string> by_git(const fs::path& tree) {
    const fs::path list = root_ / "list";
    const std::string command = "cd '" + tree.string() + "' && HOME=/nonexistent " +
                                "GIT_CONFIG_NOSYSTEM=1 git ls-files -z -o --exclude-standard > '" +
                                list.string() + "'";
    EXPECT_EQ(std::system(command.c_str()), 0);
    std::vector<std::string> out;
    const std::string listed = *read_file(list);
    for (const auto path : split(listed, '\0')) {
      if (!path.empty()) out.emplace_back(path);
    }
    std::ranges::sort(out);
    return out;
  }
  static std::vector<std::string> by_us(const fs::path& tree) {
    InlineExecutor executor;
    const auto state = TreeState::scan(tree, {}, {true, false, false}, executor, {});
    std::vector<std::string> out;
    for (const TreeEntry& entry : state->entries().list) out.push_back(entry.path);
    return out;
  }
  static std::string patterns_of(const fs::path& tree) {
    std::string out;
    for (const auto& entry : fs::recursive_directory_iterator(tree)) {
      if (entry.path().filename() != ".gitignore") continue;
      out += entry.path().string() + ":\n" + *read_file(entry.path());
    }
    return out;
  }
  fs::path new_repository() {
    const fs::path tree = new_directory();
    for (int part = 0; part < 12; ++part) grow(tree / ("part" + std::to_string(part)), 0);
    const std::string init = "git -c init.defaultBranch=main init -q '" + tree.string() + "'";
    EXPECT_EQ(std::system(init.c_str()), 0);
    write(tree / ".git/info/exclude", pattern() + "\n" + pattern() + "\n");
    return tree;
  }
  std::mt19937 random_{20240607};
};

TEST_F(AgainstGit, IgnoresTheSameFiles) {
  std::size_t kept = 0;
  for (int round = 0; round < 4; ++round) {
    const fs::path tree = new_repository();
    const auto expected = by_git(tree);
    kept += expected.size();
    ASSERT_EQ(by_us(tree), expected) << patterns_of(tree) << *read_file(tree / ".git/info/exclude");
  }
  EXPECT_GT(kept, 300u) << "the patterns leave something to compare";
}

/// The paths of `paths` beneath `folder`, relative to it.
std::vector<std::string> beneath(const std::vector<std::string>& paths, const std::string& folder) {
  std::vector<std::string> out;
  for (const std::string& path : paths) {
    if (path.starts_with(folder + '/')) out.push_back(path.substr(folder.size() + 1));
  }
  return out;
}

TEST_F(AgainstGit, IgnoresTheSameFilesInAFolderOfARepository) {
  std::size_t folders = 0;
  for (int round = 0; round < 4; ++round) {
    const fs::path tree = new_repository();
    write(tree / ".gitignore", pattern() + "\n" + pattern() + "\n");
    const auto kept = by_git(tree);
    for (const auto& entry : fs::recursive_directory_iterator(tree)) {
      if (!entry.is_directory()) continue;
      const auto expected = beneath(kept, entry.path().lexically_relative(tree).string());
      // A folder that git ignores as a whole is walked here, because it was named.
      if (expected.empty()) continue;
      ++folders;
      ASSERT_EQ(by_us(entry.path()), expected)
          << entry.path() << '\n'
          << patterns_of(tree) << *read_file(tree / ".git/info/exclude");
    }
  }
  EXPECT_GT(folders, 100u) << "the patterns leave something to compare";
}

}  // namespace
}  // namespace quarry::corpus
