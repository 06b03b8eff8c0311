#include "resources/eviction.h"

#include "base/testing/waiting.h"
#include "resources/testing/setting.h"

#include <fcntl.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace quarry::resources {
namespace {

namespace fs = std::filesystem;
using Mode = DirectoryLock::Mode;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Json source(const std::string& url) {
  Json resource = kFake;
  resource["url"] = url;
  return resource;
}

/// A setting with one plugin that has a cache.
struct CacheSetting : Setting {
  CacheSetting() { open_with(Options()); }
  void open_with(Options options) {
    options.plugin_caches = cache / "plugins";
    open(std::move(options));
  }
  /// Reopens with this limit and returns when the excess is evicted.
  void shrink_to(std::uint64_t bytes) {
    Options options;
    options.max_bytes = bytes;
    open_with(std::move(options));
    library->shutdown();
  }
  [[nodiscard]] fs::path entry(const std::string& name) const {
    return cache / "plugins" / "org.example.fake" / name;
  }
  /// Creates an entry last used `used` after the clock's first second.
  void add_entry(const std::string& name, std::chrono::seconds used, std::size_t bytes) const {
    write_file(entry(name) / "objects/pack", std::string(bytes, 'x'));
    const timespec time = timespec_of(clock.now() + used);
    const timespec times[2] = {time, time};
    ::utimensat(AT_FDCWD, entry(name).c_str(), times, 0);
  }
  [[nodiscard]] std::vector<std::string> entries() const { return entries_of(entry("")); }
};

TEST(Eviction, TakesWhatWasUsedLeastRecentlyNotWhatWasFetchedFirst) {
  CacheSetting setting;
  for (const char* url : {"a", "b", "c"}) {
    setting.clock.advance(std::chrono::minutes(1));
    ASSERT_TRUE(setting.prepare(source(url)));
  }
  setting.clock.advance(std::chrono::minutes(1));
  const auto used = setting.prepare(source("a"))->snapshot->directory().filename().string();
  setting.library->shutdown();
  const std::uint64_t one = disk_usage(setting.cache / "snapshots" / used);
  setting.shrink_to(one + one / 2);
  EXPECT_THAT(setting.snapshots(), ElementsAre(used));
}

TEST(Eviction, NeverTakesWhatSomebodyReads) {
  CacheSetting setting;
  const auto read = setting.prepare();
  ASSERT_TRUE(setting.prepare(source("y")));
  setting.shrink_to(1);
  EXPECT_THAT(setting.snapshots(), ElementsAre(read->snapshot->directory().filename()));
}

TEST(Eviction, CountsPluginsCachesAndTakesThemByTheirLastUseToo) {
  CacheSetting setting;
  setting.clock.advance(std::chrono::minutes(60));
  const auto name = setting.prepare()->snapshot->directory().filename().string();
  setting.library->shutdown();
  const std::uint64_t snapshot = disk_usage(setting.cache / "snapshots" / name);
  setting.add_entry("old", std::chrono::minutes(-10), 1'000'000);
  setting.add_entry("new", std::chrono::minutes(10), 1'000'000);
  const std::uint64_t entry = disk_usage(setting.entry("new"));
  setting.shrink_to(entry + snapshot);
  EXPECT_THAT(setting.entries(), ElementsAre("new"));
  EXPECT_THAT(setting.snapshots(), SizeIs(1));
  setting.shrink_to(entry);
  EXPECT_THAT(setting.entries(), ElementsAre("new"));
  EXPECT_THAT(setting.snapshots(), IsEmpty());
  setting.shrink_to(1);
  EXPECT_THAT(setting.entries(), IsEmpty());
}

TEST(Eviction, GivesTheDiskBackWhatWasReadBefore) {
  CacheSetting setting;
  Options options;
  options.max_bytes = 1;
  setting.open_with(options);
  for (const char* url : {"a", "b", "c"}) ASSERT_TRUE(setting.prepare(source(url)));
  const auto is_mapped = [&] {
    return read_file("/proc/self/maps").value().find(setting.cache.string()) != std::string::npos;
  };
  // The last snapshot may have caused the eviction while a question still read it.
  while (is_mapped()) static_cast<void>(setting.library->clear(source("c")));
  EXPECT_THAT(setting.snapshots(), IsEmpty());
}

TEST(Eviction, LeavesAnEntryThatItsPluginUses) {
  CacheSetting setting;
  setting.add_entry("used", std::chrono::minutes(-10), 10);
  setting.add_entry("idle", std::chrono::minutes(10), 10);
  const auto use = DirectoryLock::acquire(setting.entry("used"), Mode::kShared);
  setting.shrink_to(1);
  EXPECT_THAT(setting.entries(), ElementsAre("used"));
}

TEST(Eviction, LeavesFilesOfPluginsAlone) {
  CacheSetting setting;
  write_file(setting.entry("catalogue.json"), "{}");
  write_file(setting.cache / "plugins/1.1.abcd.so", "code");
  setting.shrink_to(1);
  EXPECT_EQ(setting.library->clear({}).value(), 0u);
  EXPECT_THAT(setting.entries(), ElementsAre("catalogue.json"));
  EXPECT_TRUE(fs::exists(setting.cache / "plugins/1.1.abcd.so"));
}

TEST(Eviction, SweepsWhatAPluginDidNotFinishUnlessItIsAtIt) {
  CacheSetting setting;
  setting.library->shutdown();
  setting.add_entry(".half", std::chrono::minutes(0), 10);
  setting.add_entry(".making", std::chrono::minutes(0), 10);
  const auto making = DirectoryLock::acquire(setting.entry(".making"), Mode::kExclusive);
  setting.open_with(Options());
  setting.library->shutdown();
  EXPECT_THAT(setting.entries(), ElementsAre(".making"));
}

TEST(Eviction, AFileThatStatesOfAFolderShareIsCountedOnce) {
  CacheSetting setting;
  const fs::path root = setting.temp.path() / "folder";
  write_file(root / "large.txt", std::string(1'000'000, 'x'));
  setting.fake->files.clear();
  setting.fake->fill = [&](plugins::Tree& tree) { return tree.use_in_place(root); };
  auto first = setting.prepare();
  write_file(root / "small.txt", "y");
  auto second = setting.prepare();
  setting.library->shutdown();
  ASSERT_THAT(setting.snapshots(), SizeIs(2));
  const std::uint64_t both = disk_usage(setting.cache / "snapshots");
  first = Error{};
  second = Error{};
  setting.shrink_to(both - 900'000);
  EXPECT_THAT(setting.snapshots(), SizeIs(2));
}

TEST(Eviction, FreesNoMoreThanItIsAskedFor) {
  CacheSetting setting;
  for (const char* url : {"a", "b", "c", "d"}) ASSERT_TRUE(setting.prepare(source(url)));
  setting.library->shutdown();
  const auto store = Store::open(
                         setting.cache, setting.clock, [](auto) {}, nullptr)
                         .value();
  PluginCaches none({}, nullptr);
  Eviction eviction(
      *store, none, [](auto) {}, [] {});
  EXPECT_GT(eviction.free(1), 0u);
  EXPECT_THAT(setting.snapshots(), SizeIs(3));
}

/// Makes the plugin's first `attempts` fail with a full disk.
void fill_disk_for(Setting& setting, int attempts) {
  setting.fake->refuse_version = [&setting, attempts](const auto&) -> std::optional<Error> {
    if (setting.fake->fetched > attempts) return std::nullopt;
    return Error{Code::kInternal, "fatal: write error: No space left on device"};
  };
  setting.fake->fetched = 0;
}

TEST(FullDisk, APluginThatMeetsItIsAskedOnceMoreWhenThereWasSomethingToEvict) {
  CacheSetting setting;
  ASSERT_TRUE(setting.prepare(source("y")));
  setting.open_with(Options());
  fill_disk_for(setting, 1);
  EXPECT_TRUE(setting.prepare());
  EXPECT_EQ(setting.fake->fetched, 2);
  setting.library->shutdown();
  EXPECT_THAT(setting.snapshots(), SizeIs(1));
}

TEST(FullDisk, LeavesTheStateThatAnswersInstead) {
  CacheSetting setting;
  const auto old = setting.sync()->snapshot->directory().filename().string();
  ASSERT_TRUE(setting.prepare(source("y")));
  setting.open_with(Options());
  setting.fake->version = version_of("v2", true, "version 2");
  fill_disk_for(setting, 9);
  const auto prepared = setting.sync();
  ASSERT_TRUE(prepared) << prepared.error().message;
  EXPECT_EQ(prepared->version, "v1");
  EXPECT_THAT(prepared->stale, ::testing::HasSubstr("No space left on device"));
  EXPECT_THAT(setting.snapshots(), ElementsAre(old));
}

TEST(FullDisk, IsToldAtOnceWhenNothingCanGo) {
  CacheSetting setting;
  const auto read = setting.prepare(source("y"));
  fill_disk_for(setting, 9);
  const auto prepared = setting.prepare();
  ASSERT_FALSE(prepared);
  EXPECT_EQ(setting.fake->fetched, 1);
  EXPECT_THAT(prepared.error().message, ::testing::HasSubstr(setting.cache.string()));
  EXPECT_THAT(prepared.error().hint, ::testing::HasSubstr("max_size"));
}

TEST(Clear, EmptiesPluginsCachesToo) {
  CacheSetting setting;
  ASSERT_TRUE(setting.prepare());
  setting.add_entry("idle", std::chrono::minutes(0), 10);
  setting.add_entry("used", std::chrono::minutes(0), 10);
  const auto use = DirectoryLock::acquire(setting.entry("used"), Mode::kShared);
  EXPECT_EQ(setting.library->clear({}).value(), 1u);
  EXPECT_THAT(setting.snapshots(), IsEmpty());
  EXPECT_THAT(setting.entries(), ElementsAre("used"));
}

TEST(Clear, CountsSnapshotsStillBeingIndexed) {
  CacheSetting setting;
  for (int i = 0; i < 1000; ++i) setting.fake->files["f" + std::to_string(i)] = "walrus zebra\n";
  for (const auto& resource : {std::optional<Json>(), std::optional(kFake)}) {
    ASSERT_TRUE(setting.prepare());
    EXPECT_EQ(setting.library->clear(resource).value(), 1u) << "its indexes are being built";
    EXPECT_THAT(setting.snapshots(), IsEmpty());
  }
  EXPECT_THAT(setting.problems, IsEmpty());
}

TEST(Clear, LeavesALeasedSnapshotAndIndexesItAgain) {
  CacheSetting setting;
  for (int i = 0; i < 1000; ++i) setting.fake->files["f" + std::to_string(i)] = "walrus zebra\n";
  const auto read = setting.prepare();
  EXPECT_EQ(setting.library->clear(kFake).value(), 0u);
  EXPECT_TRUE(fs::exists(read->snapshot->directory()));
  const auto again = setting.prepare();
  wait_until([&] { return again->snapshot->words(0) != nullptr; });
}

TEST(Clear, OfOneResourceLeavesTheOthers) {
  CacheSetting setting;
  const auto kept = setting.prepare()->snapshot->directory().filename().string();
  setting.fake->version = version_of("v2", true, "version 2");
  ASSERT_TRUE(setting.prepare(source("y")));
  setting.fake->version = version_of("v3", true, "version 3");
  ASSERT_TRUE(setting.sync(source("y")));
  setting.open_with(Options());
  Json noted = source("y");
  noted["name"] = "other";
  noted["refresh"] = "1h";
  EXPECT_EQ(setting.library->clear(noted).value(), 2u);
  EXPECT_THAT(setting.snapshots(), ElementsAre(kept));
}

}  // namespace
}  // namespace quarry::resources
