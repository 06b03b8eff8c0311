#include "base/testing/test_executors.h"
#include "corpus/segment/testing/directory_fixture.h"
#include "corpus/snapshot/tree_state.h"
#include "corpus/snapshot/watch.h"

#include <array>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>

namespace quarry::corpus {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

class Rescans : public DirectoryFixture {
 protected:
  void SetUp() override {
    DirectoryFixture::SetUp();
    tree_ = root_ / "tree";
    write(tree_ / "a/b/file", "x");
    write(tree_ / "a/other", "x");
    write(tree_ / "c/file", "x");
  }
  TreeState scan(const PackLimits& limits = {}) {
    auto state = TreeState::scan(tree_, limits, {}, executor_, {});
    EXPECT_TRUE(state) << state.error().message;
    return std::move(*state);
  }
  TreeState rescan(TreeState before, const TreeChanges& changes) {
    auto state = TreeState::rescan(std::move(before), changes, tree_, {}, {}, executor_, {});
    EXPECT_TRUE(state) << state.error().message;
    return std::move(*state);
  }
  static std::vector<std::string> paths(const TreeState& state) {
    std::vector<std::string> out;
    for (const TreeEntry& entry : state.entries().list) out.push_back(entry.path);
    return out;
  }

  fs::path tree_;
  ThreadPerJob executor_;
};

TEST_F(Rescans, ListOnlyTheDirectoriesThatChanged) {
  TreeState before = scan();
  const std::string id = before.id();
  write(tree_ / "a/new", "x");
  fs::remove(tree_ / "a/other");
  write(tree_ / "c/unnoticed", "x");
  const TreeState now = rescan(std::move(before), {.directories = {"a"}});
  EXPECT_THAT(paths(now), ElementsAre("a/b/file", "a/new", "c/file"));
  EXPECT_NE(now.id(), id);
}

TEST_F(Rescans, AreWholeScansWhereTheChangesDoNotTell) {
  write(tree_ / "c/new/file", "x");
  const std::vector<std::string> all{"a/b/file", "a/other", "c/file", "c/new/file"};
  TreeState before = scan();
  fs::remove_all(tree_ / "c/new");
  write(tree_ / "a/unnoticed", "x");
  const std::vector<std::string> now{"a/b/file", "a/other", "a/unnoticed", "c/file"};
  EXPECT_EQ(paths(rescan(scan(), {.everything = true})), now);
  EXPECT_EQ(paths(rescan(std::move(before), {.directories = {"c"}})), now) << "one disappeared";
  before = scan();
  write(tree_ / "c/new/file", "x");
  fs::remove(tree_ / "a/unnoticed");
  EXPECT_EQ(paths(rescan(std::move(before), {.directories = {"c"}})), all) << "one appeared";
  before = scan();
  fs::remove(tree_ / "a/other");
  EXPECT_EQ(paths(rescan(std::move(before), {.directories = {"none"}})).size(), 3u) << "not known";
}

TEST_F(Rescans, CountWhatIsLeftOut) {
  write(tree_ / ".ignore", "*.log\n/out/\n");
  write(tree_ / "a/.env", "x");
  write(tree_ / "a/one.log", "x");
  write(tree_ / "c/two.log", "x");
  write(tree_ / "out/file", "x");
  TreeState before = scan();
  EXPECT_EQ(before.secrets(), 1u);
  fs::remove(tree_ / "a/.env");
  fs::remove(tree_ / "a/one.log");
  write(tree_ / "c/.env", "x");
  write(tree_ / "c/.env.local", "x");
  const TreeState now = rescan(std::move(before), {.directories = {"a", "c"}});
  EXPECT_EQ(now.secrets(), 2u);
  EXPECT_EQ(now.id(), scan().id());
}

TEST_F(Rescans, KeepToTheLimits) {
  const PackLimits limits{.files = 3};
  TreeState before = scan(limits);
  write(tree_ / "a/fourth", "x");
  const auto now = TreeState::rescan(std::move(before), {.directories = {"a"}}, tree_, limits, {},
                                     executor_, {});
  ASSERT_FALSE(now);
  EXPECT_EQ(now.error().code, Code::kResourceExhausted);
}

TEST_F(Rescans, AreCancelled) {
  std::stop_source stop;
  stop.request_stop();
  const auto now =
      TreeState::rescan(scan(), {.directories = {"a"}}, tree_, {}, {}, executor_, stop.get_token());
  ASSERT_FALSE(now);
  EXPECT_EQ(now.error().code, Code::kCancelled);
}

TEST_F(Rescans, FollowADirectoryThatTakesThePlaceOfAnother) {
  const auto watch = FolderWatch::start(tree_, {});
  if (!watch->limitation().empty()) GTEST_SKIP() << watch->limitation();
  TreeState before = scan();
  write(root_ / "outside/unseen", "x");
  fs::rename(tree_ / "a/b", root_ / "away");
  fs::rename(root_ / "outside", tree_ / "a/b");
  const TreeState now = rescan(std::move(before), watch->changes());
  EXPECT_THAT(paths(now), ElementsAre("a/b/unseen", "a/other", "c/file"));
}

/// Edits a tree at random: files and directories appear, change, move and disappear, also those
/// that change the rules.
class RandomEdits {
 public:
  RandomEdits(fs::path tree, unsigned seed) : tree_(std::move(tree)), random_(seed) {}

  void edit() {
    std::error_code ignored;
    switch (random_() % 12) {
      case 0:
        fs::remove_all(directory(), ignored);
        break;
      case 1:
        fs::rename(directory(), directory() / "moved", ignored);
        break;
      case 2:
        put(directory() / ".ignore", "f1\n");
        break;
      case 3:
        fs::remove(directory() / ".ignore", ignored);
        break;
      case 4:
        put(directory() / "Cargo.toml", "x");  // makes "target" build output
        break;
      case 5:
        fs::remove(directory() / "Cargo.toml", ignored);
        break;
      case 6:
        fs::rename(file(), file(), ignored);
        break;
      case 7:
        fs::remove(file(), ignored);
        break;
      default:
        put(file(), std::string(random_() % 50, 'x'));
    }
  }

 private:
  fs::path directory() {
    static constexpr std::array kNames = {"d0", "d1", "target", "d3"};
    fs::path path = tree_;
    for (auto depth = random_() % 3; depth > 0; --depth) path /= kNames[random_() % 4];
    return path == tree_ ? tree_ / "d0" : path;
  }
  fs::path file() { return directory() / ("f" + std::to_string(random_() % 4)); }
  static void put(const fs::path& path, const std::string& text) {
    std::error_code ignored;
    fs::create_directories(path.parent_path(), ignored);
    std::ofstream(path) << text;
  }

  const fs::path tree_;
  std::mt19937 random_;
};

TEST_F(Rescans, OfWhatTheWatchTellsAreWhatAScanFinds) {
  const auto watch = FolderWatch::start(tree_, {});
  if (!watch->limitation().empty()) GTEST_SKIP() << watch->limitation();
  RandomEdits edits(tree_, 1);
  std::mt19937 random(2);
  std::size_t listed = 0;
  TreeState state = scan();
  for (int i = 0; i < 600; ++i) {
    for (auto count = 1 + random() % 3; count > 0; --count) edits.edit();
    const TreeChanges changes = watch->changes();
    if (!changes.everything) ++listed;
    state = rescan(std::move(state), changes);
    const TreeState fresh = scan();
    ASSERT_EQ(paths(state), paths(fresh)) << "after edit " << i;
    ASSERT_EQ(state.id(), fresh.id()) << "after edit " << i;
  }
  EXPECT_GT(listed, 100u) << "the others were whole scans";
}

}  // namespace
}  // namespace quarry::corpus
