#include "resources/sources.h"

#include "resources/testing/setting.h"

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace quarry::resources {
namespace {

TEST(Sources, RemoveASourceOnlyWhenItsFolderIsGone) {
  const TempDirectory temp;
  Sources sources(8);
  sources.get("fetched");
  sources.get("there")->note_folder(temp.path());
  sources.get("gone")->note_folder(temp.path() / "none");
  const auto there = sources.get("there");
  sources.forget_gone_folders();
  EXPECT_EQ(sources.all().size(), 2U);
  EXPECT_EQ(sources.get("there"), there);
  EXPECT_EQ(sources.all().size(), 2U) << "the other one is that which was fetched";
}

TEST(Sources, RemoveEverySourceWhoseFolderIsGoneForCallersAtTheSameTime) {
  const TempDirectory temp;
  for (int round = 0; round < 50; ++round) {
    Sources sources(64);
    std::vector<std::jthread> callers;
    for (int caller = 0; caller < 8; ++caller) {
      callers.emplace_back([&, caller] {
        sources.get(std::to_string(caller))->note_folder(temp.path() / "none");
        sources.forget_gone_folders();
      });
    }
    callers.clear();
    EXPECT_TRUE(sources.all().empty());
  }
}

}  // namespace
}  // namespace quarry::resources
