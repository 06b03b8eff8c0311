#include "resources/space.h"

#include "resources/testing/setting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::resources {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr std::uint64_t kMiB = 1u << 20;

/// A library over a cache of at most `most` MiB, and a type that adds a given number of MiB of
/// text.
struct SpaceSetting : Setting {
  explicit SpaceSetting(std::uint64_t most) { open_with(most); }
  void open_with(std::uint64_t most) {
    Options options;
    options.max_bytes = most * kMiB;
    open(std::move(options));
  }
  void bring(std::uint64_t size) const {
    fake->files.clear();
    const std::string line = std::string(63, 'x') + '\n';
    std::string text;
    for (std::uint64_t i = 0; i < kMiB / line.size(); ++i) text += line;
    for (std::uint64_t i = 0; i < size; ++i) fake->files[std::to_string(i) + ".txt"] = text;
  }
  Result<Prepared> ask(const std::string& url) const {
    Json resource = kFake;
    resource["url"] = url;
    return prepare(resource);
  }
};

TEST(Space, WhatDoesNotFitIsRefusedBeforeAnythingIsEvicted) {
  SpaceSetting setting(1000);
  for (const char* url : {"a", "b", "c"}) ASSERT_TRUE(setting.ask(url));
  setting.open_with(24);
  setting.bring(20);
  const auto refused = setting.ask("large");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kResourceExhausted);
  EXPECT_THAT(refused.error().message,
              AllOf(HasSubstr("does not fit"), HasSubstr("24.0 MiB"), HasSubstr("cache.max_size")));
  setting.library->shutdown();
  EXPECT_THAT(setting.snapshots(), SizeIs(3));
  EXPECT_THAT(setting.leftovers(), SizeIs(0));
}

TEST(Space, AFileThatIsTooLargeToReadTakesNone) {
  SpaceSetting setting(24);
  setting.fake->files.clear();
  setting.fake->fill = [](plugins::Tree& tree) -> Status {
    const fs::path scratch(tree.scratch().value());
    write_file(scratch / "large.txt", "");
    fs::resize_file(scratch / "large.txt", 1000 * kMiB);  // sparse
    return tree.add_directory(scratch);
  };
  const auto prepared = setting.prepare();
  ASSERT_TRUE(prepared) << prepared.error().message;
  EXPECT_TRUE(prepared->snapshot->find("large.txt"));
}

TEST(Space, TheStateBeforeAnswersWhenTheNextDoesNotFit) {
  SpaceSetting setting(24);
  ASSERT_TRUE(setting.sync());
  setting.bring(20);
  setting.fake->version = version_of("v2", true, "version 2");
  const auto prepared = setting.sync();
  ASSERT_TRUE(prepared) << prepared.error().message;
  EXPECT_EQ(prepared->version, "v1");
  EXPECT_THAT(prepared->stale, HasSubstr("does not fit"));
}

TEST(Space, TheLastStatesOfResourcesInUseStayUntilTheyAreNoLongerUsed) {
  SpaceSetting setting(17);
  setting.bring(5);
  ASSERT_TRUE(setting.ask("a"));
  ASSERT_TRUE(setting.ask("b"));
  const auto refused = setting.ask("c");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("taken by resources in use"));
  EXPECT_THAT(setting.snapshots(), SizeIs(2));
  setting.clock.advance(std::chrono::hours(2));
  const auto later = setting.ask("c");
  EXPECT_TRUE(later) << later.error().message;
}

TEST(Space, AResourceMayBeReplacedThoughOldAndNewExceedTheLimitTogether) {
  SpaceSetting setting(13);
  setting.bring(5);
  ASSERT_TRUE(setting.sync());
  setting.fake->version = version_of("v2", true, "version 2");
  for (auto& [path, text] : setting.fake->files) text += "changed\n";
  const auto replaced = setting.sync();
  ASSERT_TRUE(replaced) << replaced.error().message;
  EXPECT_EQ(replaced->version, "v2");
  EXPECT_EQ(replaced->stale, "");
}

TEST(Space, AFullDiskCostsNoLastState) {
  SpaceSetting setting(1000);
  ASSERT_TRUE(setting.ask("used"));
  const auto before = setting.snapshots();
  setting.fake->refuse_version = [](const auto&) {
    return Error{Code::kInternal, "fatal: write error: No space left on device"};
  };
  setting.fake->fetched = 0;
  EXPECT_FALSE(setting.ask("new"));
  EXPECT_EQ(setting.fake->fetched, 1);
  EXPECT_EQ(setting.snapshots(), before);
}

TEST(Space, AFolderThatDoesNotFitIsRefusedToo) {
  SpaceSetting setting(12);
  const fs::path root = setting.temp.path() / "folder";
  const std::string text(kMiB, 'x');
  for (int i = 0; i < 40; ++i) write_file(root / std::to_string(i), text);
  setting.fake->files.clear();
  setting.fake->fill = [&](plugins::Tree& tree) { return tree.use_in_place(root); };
  const auto refused = setting.prepare();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("cache.max_size"));
}

/// A Space with an empty cache.
struct EmptySpace {
  explicit EmptySpace(std::uint64_t most = 20) : space(eviction, caches, most * kMiB) {}
  [[nodiscard]] fs::path entry(const std::string& name) const {
    return temp.path() / "plugins/org.example/" / name;
  }

  TempDirectory temp;
  TestClock clock;
  std::unique_ptr<Store> store = Store::open(
                                     temp.path(), clock, [](auto) {}, nullptr)
                                     .value();
  PluginCaches caches{temp.path() / "plugins", nullptr};
  Eviction eviction{*store, caches, [](auto) {}, [] {}};
  Space space;
};

TEST(Space, ReservationsAtOnceAreSummed) {
  EmptySpace empty;
  Space::Reservation one(empty.space, "own");
  {
    Space::Reservation other(empty.space, "own");
    EXPECT_TRUE(one.cover(6 * kMiB));
    EXPECT_TRUE(other.cover(4 * kMiB));
    EXPECT_FALSE(other.cover(5 * kMiB));
    EXPECT_FALSE(one.cover(8 * kMiB));
  }
  EXPECT_TRUE(one.cover(8 * kMiB));
}

TEST(Space, AFewMebibytesAlwaysFit) {
  EmptySpace none(0);
  Space::Reservation small(none.space, "own");
  EXPECT_TRUE(small.cover(2 * kMiB));
  EXPECT_TRUE(small.check());
  EXPECT_FALSE(small.cover(3 * kMiB));
}

TEST(Space, WhatAPluginWritesIntoItsCacheMeanwhileCounts) {
  EmptySpace empty(8);
  write_file(empty.entry(".before") / "pack", std::string(6 * kMiB, 'x'));
  Space::Reservation later(empty.space, "own");
  EXPECT_TRUE(later.check()) << "it belongs to another fetch";
  fs::remove_all(empty.entry(".before"));
  for (const char* name : {".making", "locked"}) {
    Space::Reservation reservation(empty.space, "own");
    write_file(empty.entry(name) / "pack", std::string(6 * kMiB, 'x'));
    const auto lock = DirectoryLock::acquire(empty.entry(name), DirectoryLock::Mode::kExclusive);
    const auto fits = reservation.check();
    ASSERT_FALSE(fits) << name;
    EXPECT_THAT(fits.error().message, HasSubstr("more than 6.0 MiB"));
    fs::remove_all(empty.entry(name));
  }
  write_file(empty.entry("finished") / "pack", std::string(6 * kMiB, 'x'));
  EXPECT_TRUE(later.check()) << "it may be evicted";
}

TEST(Space, StopsAPluginThatFillsItsCacheBeforeTheFirstFile) {
  Setting setting;
  Options options;
  options.max_bytes = 8 * kMiB;
  options.plugin_caches = setting.cache / "plugins";
  setting.open(options);
  setting.fake->while_fetching = [&](const services::Call& call) {
    const fs::path entry = options.plugin_caches / "org.example/clone";
    write_file(entry / "pack", std::string(6 * kMiB, 'x'));
    const auto used = DirectoryLock::acquire(entry, DirectoryLock::Mode::kExclusive);
    call.progress(R"({"message":"receiving"})");
    EXPECT_TRUE(call.stop.stop_requested());
  };
  const auto refused = setting.prepare();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("does not fit"));
}

TEST(LongPaths, AreLeftOutAndNotedWhileTheOthersAreRead) {
  Setting setting;
  Options options;
  options.limits.depth = 3;
  options.limits.path_bytes = 20;
  setting.open(options);
  const std::string deep = "a/b/c/d.txt";
  const std::string name(21, 'n');
  setting.fake->files = {{deep, "x"}, {name, "x"}, {"a/b/c.txt", "read\n"}};
  const auto added = setting.prepare();
  ASSERT_TRUE(added) << added.error().message;
  EXPECT_THAT(added->notes, ElementsAre("2 paths are too long or too deep and left out."));
  EXPECT_EQ(text_of(*added, "a/b/c.txt"), "read\n");

  const fs::path root = setting.temp.path() / "folder";
  for (const auto& [path, text] : setting.fake->files) write_file(root / path, text);
  setting.fake->files.clear();
  for (const bool in_place : {false, true}) {
    Json resource = kFake;
    resource["url"] = in_place ? "in place" : "added";
    setting.fake->fill = [&](plugins::Tree& tree) {
      return in_place ? tree.use_in_place(root) : tree.add_directory(root);
    };
    const auto read = setting.prepare(resource);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_THAT(read->notes, ElementsAre("2 paths are too long or too deep and left out."));
    EXPECT_EQ(text_of(*read, "a/b/c.txt"), "read\n");
  }
  EXPECT_THAT(setting.snapshots(), SizeIs(3));
}

}  // namespace
}  // namespace quarry::resources
