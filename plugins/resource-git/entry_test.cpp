#include "resource-git/entry.h"

#include <quarry/testing_host.hpp>

#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <future>
#include <quarry_test.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>

namespace quarry::resource_git {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const std::string kCommit(40, 'a');

class GitEntry : public ::testing::Test {
 protected:
  Outcome<Entry> open(const Entry::Identity& identity) {
    return Entry::open(Host(host_.get()), Call(call_.get()), cache_, identity);
  }
  Entry opened() {
    auto entry = open(identity_);
    EXPECT_TRUE(entry) << entry.failure().message;
    return std::move(*entry);
  }
  static void write(const fs::path& path, const std::string& text = "x") {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  /// True if another process could take this lock of the entry.
  [[nodiscard]] bool is_free(int how) const {
    const int fd = ::open((cache_ / identity_.name).c_str(), O_RDONLY | O_DIRECTORY);
    const bool free = ::flock(fd, how | LOCK_NB) == 0;
    ::close(fd);
    return free;
  }

  fs::path cache_ = test_directory();
  quarry::testing::FakeHost host_;
  quarry::testing::FakeCall call_;
  Entry::Identity identity_ = Entry::identify("https://example.org/o/r", "", false);
};

TEST_F(GitEntry, IsMadeOnceAndFoundAgain) {
  {
    const Entry entry = opened();
    EXPECT_TRUE(entry.fresh());
    EXPECT_FALSE(entry.has(kCommit));
    write(entry.path() / "refs/quarry" / kCommit, kCommit + "\n");
  }
  const Entry entry = opened();
  EXPECT_FALSE(entry.fresh());
  EXPECT_TRUE(entry.has(kCommit));
  EXPECT_EQ(std::distance(fs::directory_iterator(cache_), {}), 1);
}

TEST_F(GitEntry, IsOneOfEachUrlAndTokenAndWay) {
  const auto name = [](const char* url, const char* token, bool partial) {
    return Entry::identify(url, token, partial).name;
  };
  EXPECT_THAT(name("https://example.org/o/r", "", false), HasSubstr("example.org-o-r-"));
  const std::set<std::string> names = {
      name("https://example.org/o/r", "", false), name("https://example.org/o/r", "", true),
      name("https://example.org/o/r", "t", false), name("https://example.org/o/s", "", false)};
  EXPECT_EQ(names.size(), 4u);
  EXPECT_LE(name(("https://x/" + std::string(2000, 'y')).c_str(), "", false).size(), 120u);
}

TEST_F(GitEntry, OfAnotherIdentityUnderItsNameIsReplaced) {
  write(opened().path() / "refs/quarry" / kCommit, kCommit + "\n");
  const auto entry = open({identity_.name, "somebody else's"});
  ASSERT_TRUE(entry);
  EXPECT_TRUE(entry->fresh());
  EXPECT_FALSE(entry->has(kCommit));
}

TEST_F(GitEntry, IsHeldAloneUntilItIsShared) {
  Entry entry = opened();
  EXPECT_FALSE(is_free(LOCK_SH));
  ASSERT_TRUE(entry.share());
  EXPECT_TRUE(is_free(LOCK_SH));
  EXPECT_FALSE(is_free(LOCK_EX));
}

TEST_F(GitEntry, IsWaitedForAsLongAsTheCallIsWanted) {
  auto held = std::make_unique<Entry>(opened());
  auto second = std::async(std::launch::async, [&] { return opened().fresh(); });
  held.reset();
  EXPECT_FALSE(second.get());

  const Entry again = opened();
  call_.cancel_after(3);
  const auto refused = open(identity_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.failure().status, QUARRY_CANCELLED);
}

TEST_F(GitEntry, TakenAwayByTheHostIsMadeAnew) {
  Entry entry = opened();
  fs::rename(entry.path(), cache_ / ".evicted");
  EXPECT_FALSE(entry.share());
  EXPECT_TRUE(opened().fresh());
}

TEST_F(GitEntry, LosesWhatAKilledProcessLeftInIt) {
  const fs::path path = opened().path();
  for (const char* leftover : {"shallow.lock", "config.lock", "refs/quarry/x.lock",
                               "objects/pack/tmp_pack_1", "objects/tmp_obj_1"}) {
    write(path / leftover);
  }
  write(path / "objects/pack/pack-1.pack");
  write(path / "objects/pack/pack-1.idx");
  const Entry entry = opened();
  EXPECT_EQ(entry.packs().count, 1u);
  EXPECT_EQ(entry.packs().bytes, 1u);
  for (const char* leftover : {"shallow.lock", "config.lock", "refs/quarry/x.lock",
                               "objects/pack/tmp_pack_1", "objects/tmp_obj_1"}) {
    EXPECT_FALSE(fs::exists(path / leftover)) << leftover;
  }
  EXPECT_TRUE(fs::exists(path / "objects/pack/pack-1.pack"));
}

TEST_F(GitEntry, HalfWrittenRefIsNoCommit) {
  const Entry entry = opened();
  write(entry.path() / "refs/quarry" / kCommit, "");
  EXPECT_FALSE(entry.has(kCommit));
}

TEST_F(GitEntry, KnowsThatItsDiskHasSpace) {
  EXPECT_FALSE(opened().is_disk_full());
}

TEST_F(GitEntry, IsRemovedWhole) {
  Entry entry = opened();
  entry.remove();
  EXPECT_TRUE(fs::is_empty(cache_));
}

TEST_F(GitEntry, CannotBeMadeWhereThereIsNoDirectory) {
  cache_ /= "missing";
  const auto entry = open(identity_);
  ASSERT_FALSE(entry);
  EXPECT_THAT(entry.failure().message, HasSubstr("No such file"));
  EXPECT_THAT(entry.failure().hint, HasSubstr("cache directory"));
}

}  // namespace
}  // namespace quarry::resource_git
