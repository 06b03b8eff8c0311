#include "corpus/snapshot/tree_state.h"

#include "base/executor.h"
#include "corpus/segment/testing/directory_fixture.h"

#include <unistd.h>

#include <gmock/gmock.h>
#include <sys/stat.h>

namespace quarry::corpus {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsSupersetOf;

class TreeStates : public DirectoryFixture {
 protected:
  void SetUp() override {
    DirectoryFixture::SetUp();
    tree_ = root_ / "tree";
    fs::create_directory(tree_);
  }
  TreeState scan(const PackRules& rules = {}) {
    return std::move(*TreeState::scan(tree_, {}, rules, executor_, {}));
  }
  std::string id() { return scan().id(); }
  std::vector<std::string> paths(const PackRules& rules = {}) {
    const TreeState state = scan(rules);
    std::vector<std::string> out;
    for (const TreeEntry& entry : state.entries().list) out.push_back(entry.path);
    return out;
  }
  Error refusal(const PackLimits& limits) {
    const auto state = TreeState::scan(tree_, limits, {}, executor_, {});
    return state ? Error{Code::kOk, "scanned"} : state.error();
  }

  fs::path tree_;
  InlineExecutor executor_;
};

TEST_F(TreeStates, ListFilesInOrderOfPathBytes) {
  for (const char* path : {"b", "a/z", "a.c", "a/b/c", "B"}) write(tree_ / path, "x");
  EXPECT_THAT(paths(), ElementsAre("B", "a.c", "a/b/c", "a/z", "b"));
}

TEST_F(TreeStates, AreTheSameWhenNothingChanged) {
  write(tree_ / "a", "x");
  const std::string before = id();
  EXPECT_EQ(before.size(), 64u);
  EXPECT_EQ(id(), before);
  EXPECT_NE(scan({false, false, false}).id(), before) << "other rules are another tree";
}

TEST_F(TreeStates, DifferAfterEveryKindOfChange) {
  write(tree_ / "a", "x");
  std::string before = id();
  const auto changes_with = [&](const char* what, const auto& change) {
    change();
    const std::string after = id();
    EXPECT_NE(after, before) << what;
    before = after;
  };
  changes_with("a new file", [&] { write(tree_ / "b", "y"); });
  changes_with("other contents", [&] { write(tree_ / "b", "yy"); });
  changes_with("a rename", [&] { fs::rename(tree_ / "b", tree_ / "c"); });
  changes_with("another mode", [&] { ::chmod((tree_ / "c").c_str(), 0600); });
  changes_with("a removal", [&] { fs::remove(tree_ / "c"); });
  changes_with("a link", [&] { fs::create_symlink("a", tree_ / "link"); });
  changes_with("another file of the same size and time under the name", [&] {
    write(tree_ / "twin", "z");
    fs::last_write_time(tree_ / "twin", fs::last_write_time(tree_ / "a"));
    fs::rename(tree_ / "twin", tree_ / "a");
  });
}

TEST_F(TreeStates, LeaveOutWhatTheRulesSay) {
  for (const char* path :
       {".git/config", "node_modules/a.js", ".env", "out.log", "src/main.rs", "Cargo.toml",
        "target/debug", "lib/target/x", "env/pyvenv.cfg", "env/lib/x.py"}) {
    write(tree_ / path, "x");
  }
  write(tree_ / ".gitignore", "*.log\n");
  EXPECT_THAT(paths(), ElementsAre(".gitignore", "Cargo.toml", "lib/target/x", "src/main.rs"));
  EXPECT_THAT(
      paths({false, false, false}),
      IsSupersetOf({".env", "env/lib/x.py", "node_modules/a.js", "out.log", "target/debug"}));
  EXPECT_EQ(scan({false, false, false}).file_count(), 10u) << "all but .git";
}

TEST_F(TreeStates, ListLinksButDoNotFollowThem) {
  write(root_ / "outside" / "file", "x");
  fs::create_directory_symlink(root_ / "outside", tree_ / "dir");
  fs::create_symlink("nowhere", tree_ / "broken");
  const TreeState state = scan();
  ASSERT_EQ(state.file_count(), 2u);
  for (const TreeEntry& entry : state.entries().list) {
    EXPECT_EQ(entry.type, TreeEntry::Type::kLink) << entry.path;
  }
}

TEST_F(TreeStates, PassOverFifosAndKeepOddNames) {
  ASSERT_EQ(::mkfifo((tree_ / "fifo").c_str(), 0600), 0);
  write(tree_ / "two\nlines", "x");
  write(tree_ / "\xFF", "x");
  EXPECT_THAT(paths(), ElementsAre("two\nlines", "\xFF"));
}

TEST_F(TreeStates, ListADirectoryThatCannotBeRead) {
  if (::geteuid() == 0) GTEST_SKIP() << "root reads everything";
  write(tree_ / "closed" / "a", "x");
  fs::permissions(tree_ / "closed", fs::perms::none);
  EXPECT_THAT(paths(), ElementsAre("closed"));
  fs::permissions(tree_ / "closed", fs::perms::owner_all);
}

TEST_F(TreeStates, StopAtTheLimits) {
  write(tree_ / "a/b/c", "x");
  write(tree_ / "d", "x");
  EXPECT_EQ(refusal({}).code, Code::kOk);
  EXPECT_EQ(refusal({.files = 1}).code, Code::kResourceExhausted);
}

TEST_F(TreeStates, LeaveOutAndCountWhatIsTooLongOrTooDeep) {
  write(tree_ / "a/b/c", "x");
  write(tree_ / "a/b/d/e/f", "x");
  write(tree_ / "d", "x");
  write(tree_ / "longer", "x");
  const auto all = TreeState::scan(tree_, {}, {}, executor_, {});
  EXPECT_EQ(all->left_out(), 0u);
  const auto some = TreeState::scan(tree_, {.depth = 3, .path_bytes = 5}, {}, executor_, {});
  ASSERT_TRUE(some) << some.error().message;
  EXPECT_EQ(some->file_count(), 2u) << "a/b/c and d";
  EXPECT_EQ(some->left_out(), 2u) << "the directory a/b/d/e, and longer";
  fs::remove(tree_ / "longer");
  const auto fewer = TreeState::scan(tree_, {.depth = 3, .path_bytes = 5}, {}, executor_, {});
  EXPECT_NE(fewer->id(), some->id()) << "as the snapshot notes how many there were";
}

TEST_F(TreeStates, SayWhatCannotBeScanned) {
  EXPECT_EQ(TreeState::scan(root_ / "none", {}, {}, executor_, {}).error().code, Code::kNotFound);
  write(root_ / "file", "x");
  EXPECT_FALSE(TreeState::scan(root_ / "file", {}, {}, executor_, {}));
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = TreeState::scan(tree_, {}, {}, executor_, stop.get_token());
  EXPECT_EQ(stopped.error().code, Code::kCancelled);
}

}  // namespace
}  // namespace quarry::corpus
