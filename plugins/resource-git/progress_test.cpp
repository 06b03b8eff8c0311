#include "resource-git/progress.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::resource_git {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kSaid =
    "remote: Enumerating objects: 9, done.\n"
    "remote: Counting objects:  50% (1/2)\rremote: Counting objects: 100% (2/2), done.\n"
    "Receiving objects:  12% (3/25), 1.20 MiB | 3.00 MiB/s\r"
    "Receiving objects: 100% (25/25), 2.40 MiB | 3.00 MiB/s, done.\n"
    "fatal: early EOF\n";

TEST(GitProgress, TellsObjectsAndBytes) {
  EXPECT_EQ(progress_of("Receiving objects:  12% (3/25), 1.20 MiB | 3.00 MiB/s"),
            R"({"message":"receiving objects, 1.20 MiB","done":3,"total":25})");
  EXPECT_EQ(progress_of("remote: Counting objects: 100% (2/2), done."),
            R"({"message":"the remote is counting objects","done":2,"total":2})");
  EXPECT_EQ(progress_of("Resolving deltas: 100% (4/4), completed with 1 local object."),
            R"({"message":"resolving deltas","done":4,"total":4})");
}

TEST(GitProgress, IsNoLineWithoutATitle) {
  EXPECT_EQ(progress_of("remote: : 5% (1/2)"), "");
  EXPECT_EQ(progress_of(": 5% (1/2)"), "");
}

TEST(GitProgress, TellsHowManyBytesCame) {
  EXPECT_EQ(received_bytes("Receiving objects:  12% (3/25), 1.20 MiB | 3.00 MiB/s"), 1'258'291u);
  EXPECT_EQ(received_bytes("Receiving objects:  12% (3/25), 512 bytes | 12 bytes/s"), 512u);
  for (const char* line : {"", "Receiving objects:  12% (3/25)", "Receiving objects: 1% (1/9), x",
                           "Receiving objects: 1% (1/9), 1.x KiB", "remote: (1), 3 KiB",
                           "Receiving objects: 1% (1/9), 3 ZiB"}) {
    EXPECT_EQ(received_bytes(line), 0u) << line;
  }
  Progress progress(nullptr);
  progress.take(kSaid.substr(0, kSaid.find("100% (25/25)")));
  EXPECT_EQ(progress.received(), 1'258'291u);
  EXPECT_FALSE(progress.all_received());
  progress.take(kSaid.substr(kSaid.find("100% (25/25)")));
  EXPECT_TRUE(progress.all_received());
}

TEST(GitProgress, IsNotEveryLine) {
  for (const char* line : {"fatal: early EOF", "remote: Enumerating objects: 9, done.", "a: % (",
                           "", "x: 1% (a/2)", "x: 1% (1/", "x: 1% (99999999999999999999999/2)"}) {
    EXPECT_EQ(progress_of(line), "") << line;
  }
}

TEST(GitProgress, IsTheSameCutAnywhere) {
  for (std::size_t cut = 0; cut <= kSaid.size(); ++cut) {
    std::vector<std::string> told;
    Progress progress([&](std::string_view json) { told.emplace_back(json); });
    progress.take(kSaid.substr(0, cut));
    progress.take(kSaid.substr(cut));
    EXPECT_EQ(progress.finish(), "remote: Enumerating objects: 9, done.\nfatal: early EOF\n");
    EXPECT_THAT(told, ElementsAre(HasSubstr(R"("done":1,)"), HasSubstr(R"("done":2,)"),
                                  HasSubstr("1.20 MiB"), HasSubstr("2.40 MiB")));
  }
}

TEST(GitProgress, KeepsTheEndOfEndlessNoise) {
  Progress progress(nullptr);
  for (int i = 0; i < 100'000; ++i) progress.take("noise noise noise\n");
  progress.take(std::string(1 << 20, 'x'));
  progress.take("\nfatal: the end");
  const std::string kept = progress.finish();
  EXPECT_LE(kept.size(), 65'536u);
  EXPECT_TRUE(kept.ends_with("fatal: the end\n"));
}

}  // namespace
}  // namespace quarry::resource_git
