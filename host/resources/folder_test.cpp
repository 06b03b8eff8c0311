#include "base/testing/waiting.h"
#include "resources/testing/setting.h"

#include <algorithm>
#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::resources {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A setting whose fake type reads a folder in place.
struct FolderSetting : Setting {
  FolderSetting() : Setting(2), root(temp.path() / "project") {
    fs::create_directory(root);
    write_file(root / "a.txt", "alpha\n");
    write_file(root / "kept.txt", "kept\n");
    fake->version = version_of("in-place", false, "project");
    fake->files.clear();
    fake->fill = [this](plugins::Tree& tree) { return tree.use_in_place(root); };
  }
  fs::path root;
};

TEST(FolderInPlace, AnswersFromTheFolder) {
  FolderSetting setting;
  const auto prepared = setting.prepare();
  ASSERT_TRUE(prepared) << prepared.error().message;
  EXPECT_EQ(text_of(*prepared, "a.txt"), "alpha\n");
  EXPECT_EQ(prepared->version.size(), 64u);
  EXPECT_EQ(prepared->display, "project");
}

TEST(FolderInPlace, IsNotReadAgainWhenNothingChanged) {
  FolderSetting setting;
  const auto first = setting.prepare();
  const auto second = setting.prepare();
  EXPECT_EQ(first->snapshot, second->snapshot);
  EXPECT_EQ(setting.fake->resolved, 1);
}

TEST(FolderInPlace, EveryChangeBeforeAQuestionIsInItsAnswer) {
  FolderSetting setting;
  for (int i = 0; i < 50; ++i) {
    const std::string text = "state " + std::to_string(i % 10) + "\n";
    write_file(setting.root / "a.txt", text);
    const auto prepared = setting.prepare();
    ASSERT_TRUE(prepared) << prepared.error().message;
    ASSERT_EQ(text_of(*prepared, "a.txt"), text) << i;
    ASSERT_EQ(text_of(*prepared, "kept.txt"), "kept\n");
  }
}

TEST(FolderInPlace, ChangesAreSeenByManyWhoAskAtOnce) {
  FolderSetting setting;
  for (int round = 0; round < 10; ++round) {
    std::vector<std::pair<std::string, std::future<Result<Prepared>>>> asked;
    for (int i = 0; i < 8; ++i) {
      const std::string name = "f" + std::to_string(round) + "-" + std::to_string(i);
      write_file(setting.root / name, name);
      asked.emplace_back(name, setting.start());
    }
    for (auto& [name, answer] : asked) {
      const auto prepared = answer.get();
      ASSERT_TRUE(prepared) << prepared.error().message;
      EXPECT_EQ(text_of(*prepared, name), name);
    }
  }
}

TEST(FolderInPlace, ANewDirectoryAndARemovedFileAreSeen) {
  FolderSetting setting;
  ASSERT_TRUE(setting.prepare());
  write_file(setting.root / "deep/er/b.txt", "beta\n");
  fs::remove(setting.root / "a.txt");
  const auto prepared = setting.prepare();
  EXPECT_EQ(text_of(*prepared, "deep/er/b.txt"), "beta\n");
  EXPECT_FALSE(prepared->snapshot->find("a.txt"));
  write_file(setting.root / "deep/er/b.txt", "gamma\n");
  EXPECT_EQ(text_of(*setting.prepare(), "deep/er/b.txt"), "gamma\n");
}

TEST(FolderInPlace, AnotherFolderPutInItsPlaceIsSeen) {
  FolderSetting setting;
  ASSERT_TRUE(setting.prepare());
  fs::rename(setting.root, setting.temp.path() / "aside");
  write_file(setting.root / "a.txt", "other\n");
  EXPECT_EQ(text_of(*setting.prepare(), "a.txt"), "other\n");
}

TEST(FolderInPlace, KeepsOneSnapshotWhateverChanges) {
  FolderSetting setting;
  for (int i = 0; i < 5; ++i) {
    write_file(setting.root / "a.txt", std::to_string(i));
    ASSERT_TRUE(setting.prepare());
  }
  setting.library->shutdown();
  EXPECT_THAT(setting.snapshots(), SizeIs(1));
  EXPECT_THAT(setting.leftovers(), IsEmpty());
}

TEST(FolderInPlace, IsPackedOnceAcrossARestart) {
  FolderSetting setting;
  setting.clock.advance(std::chrono::seconds(1));
  const auto before = setting.prepare()->fetched_at;
  setting.clock.advance(std::chrono::seconds(1));
  setting.reopen();
  EXPECT_EQ(setting.prepare()->fetched_at, before);
}

TEST(FolderInPlace, IsPackedOnceAfterTheClockWasSetBack) {
  FolderSetting setting;
  ASSERT_TRUE(setting.prepare());
  setting.reopen();
  setting.clock.advance(-std::chrono::hours(2));
  write_file(setting.root / "a.txt", "beta\n");
  const auto before = setting.prepare()->fetched_at;
  setting.clock.advance(std::chrono::seconds(1));
  setting.reopen();
  EXPECT_EQ(setting.prepare()->fetched_at, before) << "the state before is not the newest one";
}

TEST(FolderInPlace, AReaderKeepsItsStateWhileTheFolderChanges) {
  FolderSetting setting;
  const auto before = setting.prepare();
  write_file(setting.root / "a.txt", "beta\n");
  const auto after = setting.prepare();
  EXPECT_EQ(text_of(*before, "a.txt"), "alpha\n");
  EXPECT_EQ(text_of(*after, "a.txt"), "beta\n");
}

TEST(FolderInPlace, IsNeverAnsweredFromAnOlderState) {
  FolderSetting setting;
  ASSERT_TRUE(setting.prepare());
  fs::remove_all(setting.root);
  EXPECT_FALSE(setting.prepare());
  setting.reopen();
  setting.fake->resolve_error = Error{Code::kNotFound, "the folder is gone"};
  EXPECT_FALSE(setting.prepare());
}

TEST(FolderInPlace, IsReadAgainAfterAFailure) {
  FolderSetting setting;
  ASSERT_TRUE(setting.prepare());
  write_file(setting.root / "a.txt", "beta\n");
  setting.fake->resolve_error = Error{Code::kUnavailable, "not now"};
  EXPECT_FALSE(setting.prepare());
  setting.fake->resolve_error.reset();
  EXPECT_EQ(text_of(*setting.prepare(), "a.txt"), "beta\n");
}

TEST(FolderInPlace, MoreFoldersThanAreKeptOpenAreAnsweredRight) {
  FolderSetting setting;
  Options options;
  options.open_sources = 2;
  setting.open(options);
  for (int i = 0; i < 6; ++i) {
    Json resource = kFake;
    resource["url"] = std::to_string(i % 3);
    write_file(setting.root / "a.txt", std::to_string(i));
    EXPECT_EQ(text_of(*setting.prepare(resource), "a.txt"), std::to_string(i));
  }
}

std::size_t watches() {
  std::error_code ignored;  // of the descriptor that lists the others
  return static_cast<std::size_t>(
      std::ranges::count_if(fs::directory_iterator("/proc/self/fd"), [&](const auto& descriptor) {
        return fs::read_symlink(descriptor, ignored) == "anon_inode:inotify";
      }));
}

TEST(FolderInPlace, AFolderThatIsGoneIsNoLongerWatched) {
  FolderSetting setting;
  ASSERT_TRUE(setting.prepare());
  if (watches() == 0) GTEST_SKIP() << "the system allows no watch";
  fs::remove_all(setting.root);
  setting.root = setting.temp.path() / "other";
  fs::create_directory(setting.root);
  Json resource = kFake;
  resource["url"] = "other";
  ASSERT_TRUE(setting.prepare(resource));
  wait_until([] { return watches() == 1; });
}

TEST(FolderInPlace, AFetchMayNotMixBothWays) {
  FolderSetting setting;
  setting.fake->files = {{"a.txt", "x"}};
  const auto prepared = setting.prepare();
  ASSERT_FALSE(prepared);
  EXPECT_THAT(prepared.error().message, ::testing::HasSubstr("both"));
}

}  // namespace
}  // namespace quarry::resources
