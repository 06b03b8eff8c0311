#include <quarry/cache_entry.hpp>
#include <quarry/testing_host.hpp>
#include <quarry/testing_services.hpp>

#include <fstream>
#include <quarry_test.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry {
namespace {

namespace fs = std::filesystem;
using Lock = CacheEntry::Lock;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class Entry : public ::testing::Test {
 protected:
  void publish(const std::string& name) const {
    CacheEntry entry = CacheEntry::begin(cache_);
    std::ofstream(entry.path() / "file") << name;
    ASSERT_TRUE(entry.publish(name));
  }
  [[nodiscard]] CacheEntry open(Lock lock = Lock::kExclusive) const {
    return CacheEntry::open(cache_, "a", lock);
  }
  /// True if another process could take this lock of entry "a" now.
  [[nodiscard]] bool is_free(Lock lock) const {
    return static_cast<bool>(CacheEntry::open(cache_, "a", lock, [] { return false; }));
  }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(cache_)) {
      out.push_back(entry.path().filename());
    }
    return out;
  }

  const fs::path cache_ = test_directory();
};

TEST_F(Entry, IsBegunUnderANameThatIsSweptAfterACrashAndPublishedWhole) {
  CacheEntry entry = CacheEntry::begin(cache_);
  ASSERT_TRUE(entry);
  EXPECT_THAT(names(), ElementsAre(StartsWith(".new-")));
  EXPECT_EQ(entry.path().parent_path(), cache_);
  ASSERT_TRUE(entry.publish("a"));
  EXPECT_THAT(names(), ElementsAre("a"));
  EXPECT_EQ(entry.path(), cache_ / "a");
  EXPECT_FALSE(is_free(Lock::kShared)) << "the lock stays held";
}

TEST_F(Entry, ThatIsGivenUpLeavesNothing) {
  std::ofstream(CacheEntry::begin(cache_).path() / "half") << "x";
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(Entry, ExistsOnceWhenPublishedTwice) {
  publish("a");
  {
    CacheEntry second = CacheEntry::begin(cache_);
    EXPECT_FALSE(second.publish("a"));
    EXPECT_EQ(errno, EEXIST);
  }
  EXPECT_THAT(names(), ElementsAre("a"));
}

TEST_F(Entry, IsSharedByThoseWhoReadAndHeldAloneByWhoChanges) {
  publish("a");
  {
    const CacheEntry reader = open(Lock::kShared);
    EXPECT_TRUE(is_free(Lock::kShared));
    EXPECT_FALSE(is_free(Lock::kExclusive));
  }
  CacheEntry writer = open();
  EXPECT_FALSE(is_free(Lock::kShared));
  ASSERT_TRUE(writer.share());
  EXPECT_TRUE(is_free(Lock::kShared));
}

TEST_F(Entry, IsWaitedForAsLongAsItIsWanted) {
  publish("a");
  CacheEntry held = open();
  int looks = 0;
  EXPECT_FALSE(CacheEntry::open(cache_, "a", Lock::kShared, [&] { return ++looks < 3; }));
  EXPECT_EQ(errno, ECANCELED);
  EXPECT_EQ(looks, 3);
  EXPECT_TRUE(CacheEntry::open(cache_, "a", Lock::kShared, [&] {
    held = {};
    return true;
  }));
}

TEST_F(Entry, IsWaitedForUntilTheCallIsOver) {
  publish("a");
  const CacheEntry held = open();
  testing::FakeHost services;
  const testing::FakeClock clock;
  services.offer(QUARRY_CLOCK, clock.get());
  const Host host(services.get());
  testing::FakeCall lent;
  const Call call(lent.get());
  const auto wait = CacheEntry::until_over(host, call);
  EXPECT_TRUE(wait());
  EXPECT_THAT(clock.sleeps(), ElementsAre(10));
  lent.cancel_after(0);
  EXPECT_FALSE(CacheEntry::open(cache_, "a", Lock::kShared, wait));
  EXPECT_EQ(errno, ECANCELED);
  EXPECT_THAT(clock.sleeps(), ElementsAre(10)) << "nothing is waited for any more";
}

TEST_F(Entry, ThatWasRemovedWhileItWasWaitedForIsNone) {
  publish("a");
  CacheEntry held = open();
  EXPECT_FALSE(CacheEntry::open(cache_, "a", Lock::kExclusive, [&] {
    held.remove();
    held = {};
    return true;
  }));
  EXPECT_EQ(errno, ENOENT);
}

TEST_F(Entry, ThatWasReplacedWhileItWasWaitedForIsTheNewOne) {
  publish("a");
  CacheEntry held = open();
  const CacheEntry found = CacheEntry::open(cache_, "a", Lock::kShared, [&] {
    if (!held) return true;
    fs::rename(held.path(), cache_ / ".evicted");
    held = {};
    publish("a");
    return true;
  });
  ASSERT_TRUE(found);
  EXPECT_TRUE(fs::exists(found.path()));
  EXPECT_TRUE(is_free(Lock::kShared));
  EXPECT_FALSE(is_free(Lock::kExclusive));
}

TEST_F(Entry, TakenAwayIsNotShared) {
  publish("a");
  CacheEntry held = open();
  fs::rename(held.path(), cache_ / ".evicted");
  EXPECT_FALSE(held.share());
}

TEST_F(Entry, IsRemovedWhole) {
  publish("a");
  open().remove();
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(Entry, ThatIsNotThereSaysSo) {
  EXPECT_FALSE(open());
  EXPECT_EQ(errno, ENOENT);
  EXPECT_FALSE(CacheEntry::open({}, "a", Lock::kShared));
  EXPECT_EQ(errno, ENOENT);
  EXPECT_FALSE(CacheEntry::begin({}));
  EXPECT_FALSE(CacheEntry::begin(cache_ / "missing"));
  EXPECT_EQ(errno, ENOENT);
}

TEST_F(Entry, MustBeADirectoryOfItsOwn) {
  const auto elsewhere = cache_ / ".elsewhere";
  fs::create_directory(elsewhere);
  fs::create_directory_symlink(elsewhere, cache_ / "a");
  std::ofstream(cache_ / "b") << "no directory";
  EXPECT_FALSE(open());
  EXPECT_EQ(errno, ENOENT);
  EXPECT_FALSE(CacheEntry::open(cache_, "b", Lock::kShared));
  EXPECT_EQ(errno, ENOENT);
  EXPECT_THAT(names(), ElementsAre(".elsewhere"))
      << "only the file that cannot be an entry is removed";
}

TEST_F(Entry, IsUsedWhenItIsTouched) {
  publish("a");
  const auto before = fs::file_time_type::clock::now() - std::chrono::hours(1);
  fs::last_write_time(cache_ / "a", before);
  open().touch();
  EXPECT_GT(fs::last_write_time(cache_ / "a"), before);
}

TEST_F(Entry, WithoutACacheOfTheHostHasNoPlace) {
  const quarry::testing::FakeHost host;
  EXPECT_TRUE(CacheEntry::cache_of(Host(host.get())).empty());
}

}  // namespace
}  // namespace quarry
