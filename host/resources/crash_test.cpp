#include "resources/metadata.h"
#include "resources/testing/setting.h"

#include <algorithm>
#include <cstdio>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::resources {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Output of a process, and whether it ran to its end.
struct Ended {
  std::string output;
  bool well = false;
};

/// A process that works on the cache (crash_driver.cpp).
class Process {
 public:
  explicit Process(const std::string& command) : pipe_(::popen(command.c_str(), "r")) {}
  Ended end() {
    Ended ended;
    char buffer[4096];
    while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe_)) {
      ended.output.append(buffer, got);
    }
    ended.well = ::pclose(pipe_) == 0;
    return ended;
  }

 private:
  std::FILE* pipe_;
};

class Crash : public ::testing::Test {
 protected:
  Crash() { write_file(folder() / "a.txt", "old"); }

  [[nodiscard]] fs::path cache() const { return temp_.path() / "cache"; }
  [[nodiscard]] fs::path folder() const { return temp_.path() / "folder"; }
  [[nodiscard]] std::string driver(const std::string& work) const {
    return std::string(QUARRY_CRASH_DRIVER) + " " + cache().string() + " " + folder().string() +
           " " + work;
  }
  [[nodiscard]] Ended run(const std::string& before, const std::string& work) const {
    return Process(before + " " + driver(work)).end();
  }

  [[nodiscard]] std::ptrdiff_t snapshots_of(const std::string& url) const {
    Json resource = kFake;
    resource["url"] = url;
    const std::string key = source_key(source_of(resource));
    return std::ranges::count_if(entries_of(cache() / "snapshots"),
                                 [&](const std::string& name) { return name.starts_with(key); });
  }

  /// The next process answers correctly and leaves nothing of the one that died.
  void expect_recovery() const {
    EXPECT_EQ(run("", "v2 fetch inplace").output, "v2\nnew\n");
    EXPECT_EQ(snapshots_of("fetch2"), 0);
    EXPECT_EQ(snapshots_of("inplace"), 1) << "a folder's older states are gone";
    EXPECT_GE(snapshots_of("fetch"), 1);
    EXPECT_THAT(leftovers(), IsEmpty());
  }
  /// Files in the cache that finished work must not leave behind.
  [[nodiscard]] std::vector<std::string> leftovers() const {
    std::vector<std::string> found = entries_of(cache() / "building");
    for (const auto& entry : fs::recursive_directory_iterator(cache())) {
      const std::string name = entry.path().filename();
      if (name.starts_with('.')) found.push_back(entry.path());
    }
    return found;
  }
  void begin_afresh() const {
    fs::remove_all(cache());
    write_file(folder() / "a.txt", "old");
    ASSERT_EQ(run("", "v1 fetch inplace").output, "v1\nold\n");
    write_file(folder() / "a.txt", "new");
  }

  TempDirectory temp_;
};

class CrashAt : public Crash, public ::testing::WithParamInterface<const char*> {};

TEST_P(CrashAt, LeavesTheOldSnapshotOrTheNewOne) {
  bool died = true;
  int crashes = 0;
  for (; died && crashes < 10; ++crashes) {
    begin_afresh();
    const std::string at = GetParam() + std::string(":") + std::to_string(crashes);
    died = !run("QUARRY_CRASH_AT=" + at, "v2 fetch inplace clear").well;
    expect_recovery();
    if (HasFailure()) FAIL() << at;
  }
  EXPECT_GE(crashes, 2) << "no crash happened";
  EXPECT_FALSE(died);
}

INSTANTIATE_TEST_SUITE_P(Moments, CrashAt,
                         ::testing::Values("fetching", "fetched", "building", "packed", "described",
                                           "renamed", "published", "removing", "removed",
                                           "evicting"),
                         [](const auto& moment) { return std::string(moment.param); });

TEST_F(Crash, AtAnyTimeIsRecoveredFrom) {
  for (int round = 0; round < 25; ++round) {
    begin_afresh();
    const std::string seconds = "0.0" + std::to_string(10 + round * 7 % 90);
    static_cast<void>(
        run("timeout --foreground -s KILL " + seconds, "v2 fetch inplace fetch2 clear fetch"));
    EXPECT_EQ(run("", "v2 clear").output, "cleared\n");
    expect_recovery();
    if (HasFailure()) FAIL() << seconds;
  }
}

TEST_F(Crash, ProcessesOnOneCacheAllAnswerRight) {
  for (int round = 0; round < 5; ++round) {
    std::vector<Process> processes;
    for (int i = 0; i < 4; ++i) {
      processes.emplace_back(driver("v" + std::to_string(i % 2) + " fetch inplace clear fetch"));
    }
    for (int i = 0; i < 4; ++i) {
      const std::string version = "v" + std::to_string(i % 2);
      EXPECT_EQ(processes[static_cast<std::size_t>(i)].end().output,
                version + "\nold\ncleared\n" + version + "\n");
    }
  }
  write_file(folder() / "a.txt", "new");
  expect_recovery();
}

TEST_F(Crash, ProcessesInAChurnOnOneCacheNeitherFailNorLeaveAnything) {
  const std::string small = "QUARRY_MAX_BYTES=400000 ";
  for (int round = 0; round < 3; ++round) {
    std::vector<Process> processes;
    for (const std::string& before : {std::string(), std::string(), small, small}) {
      processes.emplace_back(before + driver("v1 churn60"));
    }
    for (Process& process : processes) EXPECT_EQ(process.end().output, "fine\n");
  }
  EXPECT_EQ(run("", "v1 clear").output, "cleared\n");
  EXPECT_THAT(entries_of(cache() / "snapshots"), IsEmpty());
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_F(Crash, AProcessKilledInAChurnHarmsNoOther) {
  for (int round = 0; round < 5; ++round) {
    std::vector<Process> processes;
    for (const char* before : {"timeout --foreground -s KILL 0.1 ", "timeout -s KILL 0.2 ", ""}) {
      processes.emplace_back(before + driver("v1 churn40") + " 2>&1");
    }
    processes[0].end();
    processes[1].end();
    EXPECT_EQ(processes[2].end().output, "fine\n");
  }
  EXPECT_EQ(run("", "v1 clear").output, "cleared\n");
  EXPECT_THAT(entries_of(cache() / "snapshots"), IsEmpty());
  EXPECT_THAT(leftovers(), IsEmpty());
}

// A version takes a little over 60 KB; this is space for one of them and for the small files of
// others.
constexpr const char* kSpaceForOne = "QUARRY_PADDING=60000 QUARRY_QUOTA=100000";
constexpr const char* kSpaceForNone = "QUARRY_PADDING=60000 QUARRY_QUOTA=30000";

TEST_F(Crash, AFullDiskIsToldWithItsPlaceAndLeavesNothing) {
  const Ended ended = run(kSpaceForNone, "v1 fetch");
  EXPECT_THAT(ended.output, HasSubstr("failed: resource \"docs\""));
  EXPECT_THAT(ended.output, HasSubstr("No space left on device"));
  EXPECT_THAT(ended.output, HasSubstr(cache().string()));
  EXPECT_THAT(ended.output, HasSubstr("iB are free"));
  EXPECT_THAT(ended.output, HasSubstr("quarry clear"));
  EXPECT_THAT(entries_of(cache() / "snapshots"), IsEmpty());
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_F(Crash, OnAFullDiskTheOldSnapshotAnswersAndSaysSo) {
  ASSERT_EQ(run("", "v1 fetch").output, "v1\n");
  const Ended ended = run(kSpaceForNone, "v2 fetch");
  EXPECT_THAT(ended.output, ::testing::StartsWith("v1 (stale: "));
  EXPECT_THAT(ended.output, HasSubstr("No space left on device"));
  EXPECT_THAT(ended.output, HasSubstr("this is how it was"));
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_F(Crash, AFullDiskIsAFailureOfAFolderThatChanged) {
  ASSERT_EQ(run("", "v1 inplace").output, "old\n");
  write_file(folder() / "a.txt", std::string(60'000, 'x'));
  EXPECT_THAT(run(kSpaceForNone, "v1 inplace").output, HasSubstr("No space left on device"));
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_F(Crash, UnusedSnapshotsAreEvictedOnAFullDisk) {
  ASSERT_EQ(run("QUARRY_PADDING=60000", "v1 other").output, "v1\n");
  ASSERT_EQ(run("", "v1 fetch").output, "v1\n");
  EXPECT_EQ(run(kSpaceForOne, "v2 fetch").output, "v2\n");
  EXPECT_EQ(snapshots_of("other"), 0);
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_F(Crash, ADiskTooFullForAnIndexStillAnswers) {
  const Ended ended = run("QUARRY_PADDING=60000 QUARRY_QUOTA=64000", "v1 fetch complain");
  EXPECT_THAT(ended.output, ::testing::StartsWith("v1\nan index could not be built"));
  EXPECT_THAT(ended.output, HasSubstr("No space left on device"));
  EXPECT_THAT(leftovers(), IsEmpty());
}

// Limits every file to a few KiB.
constexpr const char* kFull = "trap '' XFSZ; ulimit -f 16; exec";

TEST_F(Crash, AFileThatMayNotGrowIsSaidAndLeavesNothing) {
  const std::string large(40'000, 'x');
  const Ended ended = run(kFull, large + " fetch");
  EXPECT_THAT(ended.output, HasSubstr("failed: resource \"docs\""));
  EXPECT_THAT(ended.output, HasSubstr("File too large"));
  EXPECT_THAT(entries_of(cache() / "snapshots"), IsEmpty());
  EXPECT_THAT(entries_of(cache() / "building"), IsEmpty());
}

TEST_F(Crash, WhenAFileMayNotGrowTheOldSnapshotAnswersStill) {
  ASSERT_EQ(run("", "v1 fetch").output, "v1\n");
  const Ended ended = run(kFull, std::string(40'000, 'x') + " fetch");
  EXPECT_THAT(ended.output, ::testing::StartsWith("v1 (stale: "));
  EXPECT_THAT(ended.output, HasSubstr("File too large"));
  EXPECT_THAT(entries_of(cache() / "building"), IsEmpty());
}

}  // namespace
}  // namespace quarry::resources
