#include "resources/indexing_leases.h"

#include "base/testing/waiting.h"

#include <thread>

#include <gtest/gtest.h>

namespace quarry::resources {
namespace {

/// A state of the files that `source` names.
Leased state(const std::string& source, const std::string& name, bool immutable = false) {
  auto stored = std::make_shared<Stored>();
  stored->name = name;
  stored->metadata.source = source;
  stored->metadata.immutable = immutable;
  return {std::move(stored), nullptr};
}

TEST(IndexingLeases, ALaterStateSupersedesTheOneBeforeIt) {
  IndexingLeases leases;
  const auto first = leases.take(state("folder", "folder.1"));
  const auto other = leases.take(state("other", "other.1"));
  const auto second = leases.take(state("folder", "folder.2"));
  const auto third = leases.take(state("folder", "folder.3"));
  EXPECT_TRUE(first->is_superseded());
  EXPECT_TRUE(second->is_superseded());
  EXPECT_FALSE(third->is_superseded());
  EXPECT_FALSE(other->is_superseded());
  EXPECT_EQ(third->take_superseded(), second);
  EXPECT_EQ(third->take_superseded(), nullptr);
  EXPECT_EQ(second->take_superseded(), first);
  EXPECT_EQ(other->take_superseded(), nullptr);
}

TEST(IndexingLeases, VersionsThatAreKeptAndTheSameStateSupersedeNone) {
  IndexingLeases leases;
  const auto kept = leases.take(state("git", "git.1", true));
  const auto newer = leases.take(state("git", "git.2"));
  const auto again = leases.take(state("git", "git.2"));
  const auto older = leases.take(state("git", "git.1", true));
  EXPECT_FALSE(kept->is_superseded());
  EXPECT_FALSE(newer->is_superseded());
}

TEST(IndexingLeases, OneThreadAtATimeIsInATurn) {
  IndexingLeases leases;
  const auto lease = leases.take(state("folder", "folder.1"));
  ASSERT_TRUE(lease->begin());
  EXPECT_FALSE(lease->begin());
  lease->pause();
  ASSERT_TRUE(lease->begin());
  EXPECT_EQ(lease->leased().stored->name, "folder.1");
  lease->end();
  EXPECT_FALSE(lease->begin());
}

TEST(IndexingLeases, AreReleasedBetweenTurns) {
  IndexingLeases leases;
  const auto lease = leases.take(state("folder", "folder.1"));
  const auto other = leases.take(state("other", "other.1"));
  ASSERT_TRUE(lease->begin());
  lease->pause();
  leases.release("folder");
  EXPECT_FALSE(lease->begin());
  EXPECT_TRUE(other->begin());
}

TEST(IndexingLeases, AreReleasedWhileTheyAreTaken) {
  IndexingLeases leases;
  const auto held = leases.take(state("folder", "held"));
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) leases.release("taken");
    });
  }
  for (int i = 0; i < 50'000; ++i) {
    const auto taken = leases.take(state("folder", "taken"));
    ASSERT_EQ(taken->take_superseded(), i == 0 ? held : nullptr);
  }
}

TEST(IndexingLeases, AReleaseEndsARunningTurn) {
  IndexingLeases leases;
  const auto lease = leases.take(state("folder", "folder.1"));
  ASSERT_TRUE(lease->begin());
  std::jthread releasing([&] { leases.release("folder"); });
  wait_until_stopped(lease->stop());
  lease->pause();
  releasing.join();
  EXPECT_FALSE(lease->begin());
}

TEST(IndexingLeases, TellWhenNoneIsLeft) {
  IndexingLeases leases;
  int told = 0;
  leases.when_idle([&] { ++told; });
  EXPECT_EQ(told, 1);
  auto first = leases.take(state("folder", "folder.1"));
  auto second = leases.take(state("other", "other.1"));
  leases.when_idle([&] { ++told; });
  first = nullptr;
  EXPECT_EQ(told, 1);
  second = nullptr;
  EXPECT_EQ(told, 2);
  leases.take(state("folder", "folder.1"));
  EXPECT_EQ(told, 2) << "once";
}

}  // namespace
}  // namespace quarry::resources
