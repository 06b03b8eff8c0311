#include "corpus/snapshot/watch.h"

#include "corpus/segment/testing/directory_fixture.h"
#include "corpus/snapshot/file_system_kind.h"

#include <atomic>
#include <thread>

#include <gmock/gmock.h>
#include <sys/mman.h>
#include <sys/stat.h>

namespace quarry::corpus {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class Watch : public DirectoryFixture {
 protected:
  void SetUp() override {
    DirectoryFixture::SetUp();
    tree_ = root_ / "tree";
    write(tree_ / "a" / "b" / "file", "x");
  }
  void start(const PackRules& rules = {}) {
    watch_ = FolderWatch::start(tree_, rules);
    if (!watch_->limitation().empty()) GTEST_SKIP() << watch_->limitation();
    ASSERT_FALSE(watch_->changed()) << "a look is no change";
  }
  /// True if the watch reports `change`. It must report it only once.
  bool notices(const std::function<void()>& change) {
    change();
    const bool noticed = watch_->changed();
    EXPECT_FALSE(watch_->changed()) << "one change is told once";
    return noticed;
  }
  bool notices_write(const fs::path& path) {
    return notices([&] { std::ofstream(tree_ / path) << "y"; });
  }

  fs::path tree_;
  std::unique_ptr<FolderWatch> watch_;
};

TEST_F(Watch, NoticesEveryKindOfChange) {
  start();
  EXPECT_TRUE(notices_write("a/b/file"));
  EXPECT_TRUE(notices_write("a/new"));
  EXPECT_TRUE(notices([&] { fs::rename(tree_ / "a/new", tree_ / "a/b/new"); }));
  EXPECT_TRUE(notices([&] { ::chmod((tree_ / "a/b/new").c_str(), 0600); }));
  EXPECT_TRUE(notices([&] { fs::remove(tree_ / "a/b/new"); }));
  EXPECT_TRUE(notices([&] { fs::create_symlink("x", tree_ / "link"); }));
}

TEST_F(Watch, DoesNotMindBeingRead) {
  start();
  EXPECT_FALSE(notices([&] { (void)read_file(tree_ / "a/b/file"); }));
  EXPECT_FALSE(notices([&] { (void)fs::exists(tree_ / "a/none"); }));
}

TEST_F(Watch, FollowsNewDirectories) {
  start();
  EXPECT_TRUE(notices([&] { fs::create_directories(tree_ / "new/deep/er"); }));
  EXPECT_TRUE(notices_write("new/deep/er/file"));
  EXPECT_TRUE(notices_write("new/deep/er/file")) << "also its second change";
}

TEST_F(Watch, FollowsDirectoriesThatMove) {
  start();
  EXPECT_TRUE(notices([&] { fs::rename(tree_ / "a", tree_ / "c"); }));
  EXPECT_TRUE(notices_write("c/b/file"));
  EXPECT_TRUE(notices([&] { fs::rename(tree_ / "c/b", root_ / "elsewhere"); }));
  EXPECT_FALSE(notices([&] { write(root_ / "elsewhere" / "file", "z"); }))
      << "what has left the folder is no part of it";
  EXPECT_TRUE(notices([&] { fs::rename(root_ / "elsewhere", tree_ / "back"); }));
  EXPECT_TRUE(notices_write("back/file"));
}

TEST_F(Watch, LeavesIgnoredDirectoriesAlone) {
  write(tree_ / "node_modules/x/index.js", "x");
  write(tree_ / ".git/index", "x");
  write(tree_ / "out/log", "x");
  write(tree_ / ".gitignore", "out/\n");
  start();
  EXPECT_FALSE(notices_write("node_modules/x/index.js"));
  EXPECT_FALSE(notices_write(".git/index"));
  EXPECT_FALSE(notices_write("out/log"));
}

TEST_F(Watch, FollowsTheRulesWhenTheyChange) {
  write(tree_ / ".git/HEAD", "x");
  write(tree_ / "out/deep/log", "x");
  write(tree_ / ".gitignore", "out/\n");
  start();
  EXPECT_FALSE(notices_write("out/deep/log"));
  EXPECT_TRUE(notices([&] { std::ofstream(tree_ / ".gitignore") << "nothing\n"; }));
  EXPECT_TRUE(notices_write("out/deep/log"));
}

TEST_F(Watch, FollowsIgnoreFilesWhenTheyChange) {
  write(tree_ / "out/deep/log", "x");
  write(tree_ / ".ignore", "out/\n");
  start();
  EXPECT_FALSE(notices_write("out/deep/log"));
  EXPECT_TRUE(notices([&] { fs::remove(tree_ / ".ignore"); }));
  EXPECT_TRUE(notices_write("out/deep/log"));
}

TEST_F(Watch, NoticesARepositoryThatComesOrGoes) {
  write(tree_ / "out/deep/log", "x");
  write(tree_ / ".gitignore", "out/\n");
  for (const fs::path& git : {tree_ / ".git", root_ / ".git"}) {
    fs::create_directory(git);
    start();
    EXPECT_FALSE(notices_write("out/deep/log"));
    EXPECT_TRUE(notices([&] { fs::remove(git); })) << git;
    EXPECT_TRUE(notices_write("out/deep/log"));
    EXPECT_TRUE(notices([&] { fs::create_directory(git); })) << git;
    fs::remove(git);
  }
}

TEST_F(Watch, NoticesARepositoryWithinTheTree) {
  write(tree_ / "a/b/out/log", "x");
  write(tree_ / "a/b/.gitignore", "out/\n");
  fs::create_directory(tree_ / "a/b/.git");
  start();
  EXPECT_FALSE(notices_write("a/b/out/log"));
  EXPECT_TRUE(notices([&] { fs::remove(tree_ / "a/b/.git"); }));
  EXPECT_TRUE(notices_write("a/b/out/log"));
}

TEST_F(Watch, FollowsTheRulesOfTheRepositoryAroundTheFolder) {
  write(root_ / ".git/info/exclude", "");
  write(root_ / ".gitignore", "/tree/out/\n");
  write(tree_ / "out/log", "x");
  start();
  EXPECT_FALSE(notices_write("out/log"));
  EXPECT_TRUE(notices([&] { write(root_ / ".gitignore", "nothing\n"); }));
  EXPECT_TRUE(notices_write("out/log"));
  EXPECT_TRUE(notices([&] { write(root_ / ".git/info/exclude", "*.o\n"); }));
}

TEST_F(Watch, FollowsABuildDirectoryThatBecomesSource) {
  write(tree_ / "Cargo.toml", "x");
  write(tree_ / "target/file", "x");
  start();
  EXPECT_FALSE(notices_write("target/file"));
  EXPECT_TRUE(notices([&] { fs::remove(tree_ / "Cargo.toml"); }));
  EXPECT_TRUE(notices_write("target/file"));
}

TEST_F(Watch, SaysWhenTheFolderIsGone) {
  start();
  fs::rename(tree_, root_ / "moved");
  EXPECT_TRUE(watch_->changed());
  EXPECT_TRUE(watch_->changed()) << "nothing can be said any more";
  EXPECT_THAT(watch_->limitation(), HasSubstr("moved or removed"));
}

TEST_F(Watch, SaysWhenAnotherFolderTookItsPlace) {
  fs::create_directory_symlink(tree_, root_ / "current");
  watch_ = FolderWatch::start(root_ / "current", {});
  fs::create_directory(root_ / "next");
  fs::create_directory_symlink(root_ / "next", root_ / "swap");
  fs::rename(root_ / "swap", root_ / "current");
  EXPECT_TRUE(watch_->changed());
  EXPECT_FALSE(watch_->limitation().empty());
}

TEST_F(Watch, OfAFolderThatIsNotThereAlwaysSaysChanged) {
  watch_ = FolderWatch::start(root_ / "none", {});
  EXPECT_TRUE(watch_->changed());
  EXPECT_TRUE(watch_->changed());
  EXPECT_THAT(watch_->limitation(), HasSubstr("none"));
}

TEST_F(Watch, MissesNothingWhenItsQueueOverflows) {
  start();
  std::ifstream limit("/proc/sys/fs/inotify/max_queued_events");
  int events = 0;
  limit >> events;
  if (events == 0 || events > 50'000) GTEST_SKIP() << "the queue is too long to fill here";
  // Alternating names, because consecutive equal events are merged.
  const fs::path one = tree_ / "a/b/one", two = tree_ / "a/b/two";
  write(one, "x");
  for (int i = 0; i <= events / 2 + 10; ++i) {
    fs::rename(one, two);
    fs::rename(two, one);
  }
  fs::create_directories(tree_ / "late/deep");
  EXPECT_TRUE(watch_->changed());
  EXPECT_TRUE(notices_write("late/deep/file")) << "a directory whose event was lost";
}

TEST_F(Watch, MayBeAskedByManyThreads) {
  start();
  std::atomic<int> noticed = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 50; ++round) {
        write(tree_ / ("t" + std::to_string(i)) / ("d" + std::to_string(round)) / "f", "x");
        if (watch_->changed()) ++noticed;
        (void)watch_->limitation();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(noticed, 0);
  (void)watch_->changed();
  EXPECT_TRUE(notices_write("t3/d49/f"));
}

TEST(FileSystemKind, KnowsWhatOthersChangeBehindOurBack) {
  EXPECT_THAT(unwatchable(0x6969u), HasSubstr("NFS"));
  EXPECT_THAT(unwatchable(0x65735546u), HasSubstr("FUSE"));
  EXPECT_THAT(unwatchable(0x794C7630u), HasSubstr("overlay"));
  EXPECT_EQ(unwatchable(0xEF53u), "") << "ext4";
  EXPECT_EQ(unwatchable("/does/not/exist"), "");
}

}  // namespace
}  // namespace quarry::corpus
