#include "base/testing/waiting.h"
#include "resources/testing/setting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::resources {
namespace {

namespace fs = std::filesystem;
using std::chrono::hours;
using std::chrono::minutes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Json with(Json members) {
  members.update(kFake);
  return members;
}

const Json kInBackground = with({{"refreshInBackground", true}});

TEST(Freshness, ASnapshotThatIsNotDueAnswersWithoutItsSource) {
  Setting setting;
  ASSERT_TRUE(setting.prepare());
  setting.clock.advance(minutes(14));
  EXPECT_EQ(setting.prepare()->stale, "");
  setting.reopen();
  EXPECT_EQ(setting.prepare()->stale, "");
  EXPECT_EQ(setting.fake->resolved, 1);
  setting.clock.advance(minutes(2));
  EXPECT_EQ(setting.prepare()->stale, "");
  EXPECT_EQ(setting.fake->resolved, 2);
}

TEST(Freshness, IsAsTheResourceSays) {
  Setting setting;
  ASSERT_TRUE(setting.prepare());
  ASSERT_TRUE(setting.prepare(with({{"refresh", "always"}})));
  EXPECT_EQ(setting.fake->resolved, 2);
  setting.clock.advance(hours(24 * 365));
  ASSERT_TRUE(setting.prepare(with({{"refresh", "never"}})));
  EXPECT_EQ(setting.fake->resolved, 2);
  ASSERT_TRUE(setting.prepare(with({{"refresh", "364d"}})));
  EXPECT_EQ(setting.fake->resolved, 3);
  EXPECT_EQ(setting.fake->fetched, 1);
}

TEST(Freshness, AnAnswerInTimeDoesNotMakeTheSnapshotAnyFresher) {
  Setting setting;
  ASSERT_TRUE(setting.prepare());
  for (int i = 0; i < 4; ++i) {
    setting.clock.advance(minutes(4));
    ASSERT_TRUE(setting.prepare());
  }
  EXPECT_EQ(setting.fake->resolved, 2);
}

TEST(Freshness, SyncAsksTheSourceWhateverItsSnapshotSays) {
  Setting setting;
  ASSERT_TRUE(setting.prepare(with({{"refresh", "never"}})));
  setting.fake->version = version_of("v2", true, "version 2");
  EXPECT_EQ(setting.sync(with({{"refresh", "never"}}))->version, "v2");
  EXPECT_EQ(setting.prepare()->version, "v2");
}

TEST(Freshness, OfflineAnswersFromWhatIsThereAndSaysItsAge) {
  Setting setting;
  const PrepareOptions offline{Freshness::kOffline, {}};
  EXPECT_EQ(setting.prepare(kFake, offline)->stale, "") << "nothing is there, so it is fetched";
  EXPECT_EQ(setting.prepare(kFake, offline)->stale, "");
  setting.clock.advance(hours(3));
  EXPECT_EQ(setting.prepare(kFake, offline)->stale,
            "its source was not asked; this is how it was 3 hours ago");
  EXPECT_EQ(setting.fake->resolved, 1);
}

TEST(Freshness, WhatIsDueAnswersAtOnceAndIsRefreshedAfterItWhenTheResourceSaysSo) {
  Setting setting;
  ASSERT_TRUE(setting.prepare());
  setting.clock.advance(hours(1));
  Gate asked;
  Gate proceed;
  setting.fake->version = version_of("v2", true, "version 2");
  setting.fake->while_fetching = [&](const services::Call&) {
    asked.open();
    proceed.wait();
  };
  const auto old = setting.prepare(kInBackground);
  EXPECT_EQ(old->version, "v1");
  EXPECT_EQ(old->stale, "it is being refreshed; this is how it was 60 minutes ago");
  asked.wait();
  EXPECT_EQ(setting.prepare(kInBackground)->version, "v1");
  auto waits = setting.start();
  proceed.open();
  EXPECT_EQ(waits.get()->version, "v2") << "a foreground request shares the run";
  EXPECT_EQ(setting.prepare(kInBackground)->version, "v2");
  EXPECT_EQ(setting.fake->resolved, 2);
  EXPECT_THAT(setting.problems, IsEmpty());
}

/// Repeats the question until background work has had its effect.
template <class Condition>
void ask_until(const Setting& setting, Condition met) {
  wait_until([&] { return met(setting.prepare(kInBackground)); });
}

TEST(Freshness, ARefreshInTheBackgroundThatFailsIsToldOnce) {
  Setting setting;
  ASSERT_TRUE(setting.prepare());
  setting.clock.advance(hours(1));
  setting.fake->resolve_error = Error{Code::kUnavailable, "could not resolve host"};
  ask_until(setting, [&](const auto& answer) {
    EXPECT_EQ(answer->version, "v1");
    setting.clock.advance(minutes(10));
    return setting.fake->resolved > 5;
  });
  setting.library->shutdown();
  EXPECT_THAT(setting.problems,
              ElementsAre(AllOf(HasSubstr("\"docs\""), HasSubstr("could not resolve host"))));
}

TEST(Freshness, ASourceThatHangsIsNotWaitedForAtEachQuestion) {
  Setting setting;
  ASSERT_TRUE(setting.prepare());
  setting.clock.advance(hours(3));
  setting.fake->version = version_of("v2", true, "version 2");
  setting.fake->while_fetching = [&](const services::Call&) {
    setting.clock.advance(std::chrono::seconds(60));
  };
  setting.fake->fetch_error = Error{Code::kDeadlineExceeded, "it took longer than 60 s"};
  EXPECT_EQ(setting.prepare()->stale, "it took longer than 60 s; this is how it was 3 hours ago");
  EXPECT_EQ(setting.prepare()->stale,
            "it took longer than 60 s; this is how it was 3 hours ago; its source is asked again "
            "in 60 s");
  setting.clock.advance(std::chrono::seconds(59));
  EXPECT_THAT(setting.prepare(with({{"refresh", "always"}}))->stale, HasSubstr("in 1 s"));
  EXPECT_THAT(setting.prepare(kInBackground)->stale, HasSubstr("in 1 s"));
  EXPECT_EQ(setting.fake->fetched, 2);
  setting.clock.advance(std::chrono::seconds(1));
  ASSERT_TRUE(setting.prepare());
  EXPECT_EQ(setting.fake->fetched, 3);
  EXPECT_THAT(setting.prepare()->stale, HasSubstr("asked again in 2 minutes"));
  setting.fake->fetch_error = std::nullopt;
  EXPECT_EQ(setting.sync()->version, "v2") << "a sync contacts it at once";
}

TEST(Freshness, ASourceThatAnswersAgainIsAskedAsBefore) {
  Setting setting;
  ASSERT_TRUE(setting.prepare());
  setting.clock.advance(hours(1));
  setting.fake->resolve_error = Error{Code::kUnavailable, "no route to host"};
  EXPECT_THAT(setting.prepare()->stale, HasSubstr("no route to host"));
  EXPECT_THAT(setting.prepare()->stale, HasSubstr("asked again in 10 s"));
  setting.fake->resolve_error = std::nullopt;
  EXPECT_EQ(setting.sync()->stale, "");
  setting.clock.advance(hours(1));
  EXPECT_EQ(setting.prepare()->stale, "");
  EXPECT_EQ(setting.fake->resolved, 4);
}

TEST(Freshness, WithoutASnapshotASourceThatFailedIsAskedEachTime) {
  Setting setting;
  setting.fake->resolve_error = Error{Code::kUnavailable, "no route to host"};
  EXPECT_FALSE(setting.prepare());
  setting.fake->resolve_error = std::nullopt;
  EXPECT_TRUE(setting.prepare());
}

TEST(Freshness, ARefusalInTheBackgroundIsToldToTheNextQuestion) {
  Setting setting;
  ASSERT_TRUE(setting.prepare());
  setting.clock.advance(hours(1));
  setting.fake->resolve_error = Error{Code::kNotFound, "the branch is gone"};
  std::string said;
  ask_until(setting, [&](const auto& answer) {
    if (!answer) said = answer.error().message;
    return !answer;
  });
  EXPECT_THAT(said, HasSubstr("the branch is gone"));
}

TEST(Freshness, ShutdownEndsARefreshInTheBackgroundWithoutAComplaint) {
  Setting setting;
  ASSERT_TRUE(setting.prepare());
  setting.clock.advance(hours(1));
  Gate fetching;
  Gate stopped;
  setting.fake->version = version_of("v2", true, "version 2");
  setting.fake->while_fetching = [&](const services::Call& call) {
    const std::stop_callback noticed(call.stop, [&] { stopped.open(); });
    fetching.open();
    stopped.wait();
  };
  ASSERT_TRUE(setting.prepare(kInBackground));
  fetching.wait();
  setting.library->shutdown();
  EXPECT_THAT(setting.problems, IsEmpty());
  EXPECT_THAT(setting.leftovers(), IsEmpty());
}

TEST(Freshness, AFolderReadInPlaceIsAlwaysChecked) {
  Setting setting;
  const fs::path root = setting.temp.path() / "folder";
  write_file(root / "a.txt", "old\n");
  setting.fake->files.clear();
  setting.fake->fill = [&](plugins::Tree& tree) { return tree.use_in_place(root); };
  const Json never = with({{"refresh", "never"}});
  ASSERT_TRUE(setting.prepare(never));
  write_file(root / "a.txt", "new\n");
  EXPECT_EQ(text_of(*setting.prepare(never, {Freshness::kOffline, {}}), "a.txt"), "new\n");
  setting.reopen();
  write_file(root / "a.txt", "newer\n");
  EXPECT_EQ(text_of(*setting.prepare(never), "a.txt"), "newer\n");
}

TEST(Freshness, AnotherAddressOrBranchIsAnotherSourceAndAskedAtOnce) {
  Setting setting;
  ASSERT_TRUE(setting.prepare(with({{"refresh", "never"}})));
  Json moved = with({{"refresh", "never"}});
  moved["url"] = "y";
  ASSERT_TRUE(setting.prepare(moved));
  EXPECT_EQ(setting.fake->resolved, 2);
}

TEST(Freshness, AResourceThatSaysNonsenseIsRefused) {
  Setting setting;
  const auto prepared = setting.prepare(with({{"refresh", "soon"}}));
  ASSERT_FALSE(prepared);
  EXPECT_THAT(prepared.error().message, HasSubstr("refresh"));
}

}  // namespace
}  // namespace quarry::resources
