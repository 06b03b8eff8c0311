#include "engine/file_watch.h"

#include <atomic>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <quarry_test.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::engine {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class FileWatchTest : public ::testing::Test {
 protected:
  FileWatchTest() {
    fs::create_directories(root_ / "plugins/one");
    write("quarry.toml", "a");
    write("plugins/one/plugin.toml", "1");
  }
  void write(const std::string& file, const std::string& text) {
    std::ofstream(root_ / file) << text;
  }
  WatchedFiles watched() const {
    return {.files = {root_ / "quarry.toml", root_ / "absent.toml"},
            .plugin_directories = {root_ / "plugins", root_ / "absent"}};
  }
  std::string states() const { return file_states(watched()); }

  const fs::path root_ = test_directory();
};

TEST_F(FileWatchTest, StatesDifferAfterEachKindOfChange) {
  std::vector<std::string> seen = {states()};
  EXPECT_EQ(states(), seen.back()) << "nothing has changed";
  const auto differs = [&](const char* change) {
    const std::string now = states();
    for (const auto& before : seen) EXPECT_NE(now, before) << change;
    seen.push_back(now);
  };
  write("quarry.toml", "longer");
  differs("a file was written");
  write("new", "longer");
  fs::rename(root_ / "new", root_ / "quarry.toml");
  differs("another file has its name");
  write("absent.toml", "");
  differs("a file was created");
  fs::create_directories(root_ / "plugins/two");
  EXPECT_EQ(states(), seen.back()) << "a folder without a manifest is no plugin";
  write("plugins/two/plugin.toml", "2");
  differs("a plugin was added");
  write("plugins/one/plugin.toml", "10");
  differs("a manifest was changed");
  fs::remove_all(root_ / "plugins/one");
  differs("a plugin was removed");
  fs::create_directories(root_ / "absent/three");
  write("absent/three/plugin.toml", "3");
  differs("a directory was created");
  fs::permissions(root_ / "quarry.toml", fs::perms::owner_read);
  differs("permissions were changed");
}

/// Counts the calls of `changed`, and lets the test wait for one.
class Calls {
 public:
  void add() {
    const std::lock_guard lock(mutex_);
    ++count_;
    changed_.notify_all();
  }
  void wait_for(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return count_ >= count; });
    EXPECT_EQ(count_, count);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0;
};

TEST_F(FileWatchTest, CallsOnceForAChangeAndAgainForTheNext) {
  Calls calls;
  const FileWatch watch(
      {.watched = [this] { return watched(); }, .changed = [&] { calls.add(); }, .interval = 1ms});
  write("quarry.toml", "changed");
  calls.wait_for(1);
  write("plugins/one/plugin.toml", "changed");
  calls.wait_for(2);
}

TEST_F(FileWatchTest, WaitsUntilTwoLooksAreAlike) {
  Calls calls;
  std::atomic<int> looks = 0;
  int looks_at_call = 0;
  const FileWatch watch({.watched =
                             [&] {
                               const int look = ++looks;  // the first is that of the start
                               if (look > 1 && look < 6)
                                 write("quarry.toml", std::string(look, 'x'));
                               return watched();
                             },
                         .changed =
                             [&] {
                               looks_at_call = looks;
                               calls.add();
                             },
                         .interval = 1ms});
  calls.wait_for(1);
  EXPECT_EQ(looks_at_call, 6);
}

TEST_F(FileWatchTest, EndsWhileItWaits) {
  const FileWatch watch(
      {.watched = [this] { return watched(); }, .changed = [] {}, .interval = 1h});
}

}  // namespace
}  // namespace quarry::engine
