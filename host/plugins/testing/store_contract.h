#pragma once

#include "plugins/store.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

namespace quarry::plugins {

/// A database with nothing in it, and hosts that share it. Gone with this.
class StoreDatabase {
 public:
  virtual ~StoreDatabase() = default;
  /// Another host's store on it, not opened. [any thread]
  virtual std::shared_ptr<Store> connect() = 0;
};

struct StoreMaker {
  std::string name;
  std::function<std::unique_ptr<StoreDatabase>()> make;
};

inline void PrintTo(const StoreMaker& maker, std::ostream* out) {
  *out << maker.name;
}

/// What every store must do (quarry/store.h), said once for all of them. A program that includes
/// this instantiates it: INSTANTIATE_TEST_SUITE_P(…, StoreContract, …).
class StoreContract : public testing::TestWithParam<StoreMaker> {
 protected:
  StoreContract() {
    EXPECT_TRUE(store_->open({}));
    EXPECT_TRUE(other_->open({}));
  }

  static Clock::Wall at(std::int64_t milliseconds) {
    return Clock::Wall(std::chrono::milliseconds(milliseconds));
  }
  static std::string hash(int number) {
    std::string digits = std::to_string(number);
    return std::string(64 - digits.size(), '0') + digits;
  }
  static TokenRecord token(std::string id, std::vector<std::string> projects,
                           std::int64_t created = 1000) {
    return {.id = std::move(id),
            .projects = std::move(projects),
            .rights = {"ask", "list"},
            .label = "",
            .created = at(created),
            .expires = {},
            .revoked = {},
            .limits = {}};
  }
  static Reservation reservation(std::string id, std::int64_t nanos) {
    return {.id = std::move(id),
            .token = "t",
            .project = "docs",
            .day = 20'000,
            .amount = {nanos},
            .token_limit = {},
            .project_limit = {},
            .at = at(1000),
            .expires = at(2000)};
  }
  static AuditEntry entry(std::int64_t when, std::string request, std::string project = "docs") {
    AuditEntry entry;
    entry.at = at(when);
    entry.request = std::move(request);
    entry.project = std::move(project);
    entry.status = 200;
    return entry;
  }
  static HostActivity activity(std::string host, std::int64_t when) {
    return {.host = std::move(host),
            .at = at(when),
            .window = when / 60'000,
            .requests = {},
            .streams = {}};
  }

  void make_projects(std::initializer_list<std::string> names) {
    for (const auto& name : names) ASSERT_TRUE(*store_->create_project({}, {name, at(1), {}}));
  }
  std::vector<std::string> resource_names(std::string_view project) {
    std::vector<std::string> names;
    const auto found = store_->resources({}, project);
    if (!found || !*found) return {"no project"};
    for (const Json& resource : **found) names.push_back(resource["name"]);
    return names;
  }
  std::vector<std::string> token_ids(std::string_view project) {
    std::vector<std::string> ids;
    const auto all = store_->tokens({}, project).value();
    for (const auto& found : all) ids.push_back(found.id);
    return ids;
  }
  std::vector<std::string> requests_of(const AuditWanted& wanted) {
    std::vector<std::string> requests;
    const auto all = store_->audit({}, wanted).value();
    for (const auto& found : all) requests.push_back(found.request);
    return requests;
  }
  std::int64_t revision() { return store_->exchange({}, activity("h", 1))->revision; }
  Reserved::Outcome reserve(const Reservation& wanted) {
    return store_->reserve({}, wanted).value().outcome;
  }

  /// Runs `work(store, number)` in several threads of two hosts at once.
  template <class Work>
  void everywhere(const Work& work) {
    std::vector<std::jthread> threads;
    for (int number = 0; number < 6; ++number) {
      threads.emplace_back([&, number] { work(number % 2 == 0 ? *store_ : *other_, number); });
    }
  }

  std::unique_ptr<StoreDatabase> database_ = GetParam().make();
  std::shared_ptr<Store> store_ = database_->connect();
  std::shared_ptr<Store> other_ = database_->connect();
};

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

TEST_P(StoreContract, OpensAgainWithWhatIsThere) {
  make_projects({"docs"});
  const auto third = database_->connect();
  EXPECT_EQ(third->open({}).value(), store_->open({}).value());
  EXPECT_EQ(third->projects({})->size(), 1u);
}

TEST_P(StoreContract, ANewDatabaseMayBeOpenedByAllAtOnce) {
  const auto fresh = GetParam().make();
  std::vector<std::jthread> hosts;
  for (int i = 0; i < 4; ++i) {
    hosts.emplace_back([&] {
      const auto opened = fresh->connect()->open({});
      EXPECT_TRUE(opened) << opened.error().message;
    });
  }
}

TEST_P(StoreContract, EveryHostGetsTheSameKeyOfAName) {
  const std::string key = store_->key({}, "sessions").value();
  EXPECT_EQ(key.size(), 64u);
  EXPECT_EQ(other_->key({}, "sessions").value(), key);
  EXPECT_NE(store_->key({}, "cursors").value(), key);
}

TEST_P(StoreContract, HostsThatWantAKeyAtOnceGetOne) {
  std::vector<std::string> keys(6);
  everywhere([&](Store& store, int number) {
    keys[static_cast<std::size_t>(number)] = store.key({}, "sessions").value();
  });
  EXPECT_THAT(keys, testing::Each(keys[0]));
}

TEST_P(StoreContract, ProjectsDifferInMoreThanCaseAndAreListedByName) {
  EXPECT_TRUE(*store_->create_project({}, {"web", at(2), Money{1'500'000'000}}));
  EXPECT_TRUE(*store_->create_project({}, {"Docs", at(1), {}}));
  EXPECT_FALSE(*other_->create_project({}, {"docs", at(3), {}}));
  const auto all = other_->projects({}).value();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "Docs");
  EXPECT_EQ(all[0].created, at(1));
  EXPECT_FALSE(all[0].usd_per_day);
  EXPECT_EQ(all[1].usd_per_day, Money{1'500'000'000});
}

TEST_P(StoreContract, AProjectGoesWithItsResourcesAndFromItsTokens) {
  make_projects({"docs", "web"});
  ASSERT_TRUE(*store_->create_token({}, token("both", {"docs", "web"}), hash(1)));
  ASSERT_TRUE(*store_->create_token({}, token("alone", {"docs"}), hash(2)));
  ASSERT_TRUE(store_->add_resource({}, "docs", {{"name", "a"}}, 9));

  EXPECT_TRUE(*other_->remove_project({}, "DOCS", at(7)));
  EXPECT_FALSE(*store_->remove_project({}, "docs", at(8)));

  EXPECT_THAT(resource_names("docs"), ElementsAre("no project"));
  const auto both = store_->find_token({}, hash(1)).value();
  EXPECT_THAT(both->token.projects, ElementsAre("web"));
  EXPECT_FALSE(both->token.revoked);
  EXPECT_EQ(store_->find_token({}, hash(2)).value()->token.revoked, at(7));
}

TEST_P(StoreContract, AProjectOfAnOldNameBeginsAnewButForWhatWasSpent) {
  make_projects({"docs", "web"});
  ASSERT_TRUE(*store_->create_token({}, token("t", {"web", "docs"}), hash(1)));
  ASSERT_TRUE(store_->add_resource({}, "docs", {{"name", "a"}}, 9));
  ASSERT_EQ(reserve(reservation("r", 100)), Reserved::Outcome::kReserved);
  ASSERT_TRUE(store_->record({}, {entry(5, "a")}));
  ASSERT_TRUE(*store_->remove_project({}, "docs", at(7)));
  make_projects({"docs"});

  EXPECT_THAT(resource_names("docs"), IsEmpty());
  EXPECT_THAT(store_->find_token({}, hash(1)).value()->token.projects, ElementsAre("web"));
  EXPECT_THAT(requests_of({at(0), {}, "docs", 10}), ElementsAre("a"));
  auto more = reservation("s", 1);
  more.project_limit = Money{100};
  EXPECT_EQ(reserve(more), Reserved::Outcome::kOverProject);
}

TEST_P(StoreContract, ATokenIsFoundByItsHashWithItsProjectsInOrder) {
  ASSERT_TRUE(*store_->create_project({}, {"Web", at(1), Money{7}}));
  make_projects({"docs"});
  auto made = token("t", {"web", "docs"});
  made.label = "CI of “docs”";
  made.expires = at(5000);
  made.limits = {.requests_per_minute = 60, .streams = 4, .usd_per_day = Money{250'000'000}};
  ASSERT_TRUE(*store_->create_token({}, made, hash(1)));

  const auto found = other_->find_token({}, hash(1)).value();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->token.id, "t");
  EXPECT_THAT(found->token.projects, ElementsAre("Web", "docs"));
  EXPECT_THAT(found->token.rights, ElementsAre("ask", "list"));
  EXPECT_EQ(found->token.label, "CI of “docs”");
  EXPECT_EQ(found->token.created, at(1000));
  EXPECT_EQ(found->token.expires, at(5000));
  EXPECT_FALSE(found->token.revoked);
  EXPECT_EQ(found->token.limits.requests_per_minute, 60u);
  EXPECT_EQ(found->token.limits.streams, 4u);
  EXPECT_EQ(found->token.limits.usd_per_day, Money{250'000'000});
  ASSERT_EQ(found->projects.size(), 2u);
  EXPECT_EQ(found->projects[0].name, "Web");
  EXPECT_EQ(found->projects[0].usd_per_day, Money{7});
  EXPECT_FALSE(store_->find_token({}, hash(2)).value());
}

TEST_P(StoreContract, ATokenOfAProjectThatIsNotThereIsNotMade) {
  make_projects({"docs"});
  EXPECT_FALSE(*store_->create_token({}, token("t", {"docs", "moon"}), hash(1)));
  EXPECT_FALSE(store_->find_token({}, hash(1)).value());
  EXPECT_TRUE(*store_->create_token({}, token("t", {"docs"}), hash(1)));
}

TEST_P(StoreContract, ATokenThatIsMadeTwiceIsMadeOnce) {
  make_projects({"docs"});
  EXPECT_TRUE(*store_->create_token({}, token("t", {"docs"}), hash(1)));
  EXPECT_TRUE(*other_->create_token({}, token("t", {"docs"}), hash(1)));
  EXPECT_THAT(token_ids(""), ElementsAre("t"));
}

TEST_P(StoreContract, TokensAreListedByAgeAlsoThoseThatAreOver) {
  make_projects({"docs", "web"});
  auto expired = token("expired", {"web", "Docs"}, 30);
  expired.expires = at(31);
  ASSERT_TRUE(*store_->create_token({}, expired, hash(1)));
  ASSERT_TRUE(*store_->create_token({}, token("revoked", {"docs"}, 10), hash(2)));
  ASSERT_TRUE(*store_->create_token({}, token("other", {"web"}, 20), hash(3)));
  ASSERT_TRUE(*store_->revoke_token({}, "revoked", at(11)));
  EXPECT_THAT(token_ids(""), ElementsAre("revoked", "other", "expired"));
  EXPECT_THAT(token_ids("DOCS"), ElementsAre("revoked", "expired"));
  EXPECT_THAT(store_->tokens({}, "docs")->back().projects, ElementsAre("web", "docs"));
  EXPECT_THAT(token_ids("moon"), IsEmpty());
}

TEST_P(StoreContract, ATokenIsRevokedOnce) {
  make_projects({"docs"});
  ASSERT_TRUE(*store_->create_token({}, token("t", {"docs"}), hash(1)));
  EXPECT_TRUE(*store_->revoke_token({}, "t", at(5)));
  EXPECT_TRUE(*other_->revoke_token({}, "t", at(9)));
  EXPECT_FALSE(*store_->revoke_token({}, "T", at(9)));
  EXPECT_EQ(store_->find_token({}, hash(1)).value()->token.revoked, at(5));
}

TEST_P(StoreContract, ResourcesAreKeptAsTheyAreInTheOrderTheyCame) {
  make_projects({"docs"});
  EXPECT_THAT(resource_names("docs"), IsEmpty());
  EXPECT_THAT(resource_names("moon"), ElementsAre("no project"));
  const Json zebra{
      {"type", "git"}, {"name", "zebra"}, {"searchPaths", {"a", "ü“\n"}}, {"n", nullptr}};
  EXPECT_EQ(store_->add_resource({}, "docs", zebra, 9)->outcome, AddedResource::Outcome::kAdded);
  EXPECT_EQ(other_->add_resource({}, "Docs", {{"name", "apple"}}, 9)->outcome,
            AddedResource::Outcome::kAdded);
  EXPECT_THAT(resource_names("DOCS"), ElementsAre("zebra", "apple"));
  EXPECT_EQ(store_->resources({}, "docs").value()->front(), zebra);
}

TEST_P(StoreContract, AResourceIsAddedUnderANewNameWhileThereIsRoom) {
  using Added = AddedResource::Outcome;
  make_projects({"docs"});
  const auto add = [&](const Json& resource) {
    return store_->add_resource({}, "docs", resource, 2).value();
  };
  EXPECT_EQ(add({{"name", "A"}, {"type", "npm"}}).outcome, Added::kAdded);
  const auto taken = add({{"name", "a"}});
  EXPECT_EQ(taken.outcome, Added::kNameTaken);
  EXPECT_EQ(taken.existing["type"], "npm");
  EXPECT_EQ(add({{"name", "b"}}).outcome, Added::kAdded);
  EXPECT_EQ(add({{"name", "c"}}).outcome, Added::kFull);
  EXPECT_EQ(add({{"name", "B"}}).outcome, Added::kNameTaken) << "though there is no room";
  EXPECT_EQ(store_->add_resource({}, "moon", {{"name", "a"}}, 2)->outcome, Added::kNoProject);
}

TEST_P(StoreContract, AResourceIsRemovedByItsNameInAnyCase) {
  make_projects({"docs", "web"});
  for (const char* name : {"a", "b"}) {
    ASSERT_TRUE(store_->add_resource({}, "docs", {{"name", name}}, 9));
    ASSERT_TRUE(store_->add_resource({}, "web", {{"name", name}}, 9));
  }
  EXPECT_TRUE(*other_->remove_resource({}, "Docs", "A"));
  EXPECT_FALSE(*store_->remove_resource({}, "docs", "a"));
  EXPECT_FALSE(*store_->remove_resource({}, "moon", "a"));
  EXPECT_THAT(resource_names("docs"), ElementsAre("b"));
  EXPECT_THAT(resource_names("web"), ElementsAre("a", "b"));
}

TEST_P(StoreContract, HostsThatAddAtOnceNeitherDoubleANameNorOverfillAProject) {
  make_projects({"docs"});
  std::atomic<int> added = 0;
  everywhere([&](Store& store, int number) {
    for (int i = 0; i < 6; ++i) {
      const std::string name = (number < 3 ? "Same" : "same") + std::to_string(i);
      const auto result = store.add_resource({}, "docs", {{"name", name}}, 4).value();
      added += result.outcome == AddedResource::Outcome::kAdded ? 1 : 0;
    }
  });
  EXPECT_EQ(added, 4);
  EXPECT_EQ(resource_names("docs").size(), 4u);
}

TEST_P(StoreContract, RequestsOfAllHostsAreCountedByTheMinute) {
  auto here = activity("a", 10 * 60'000);
  here.requests = {{"t", 2, 10}, {"t", 1, 9}, {"t", 5, 8}, {"u", 7, 10}};
  ASSERT_TRUE(store_->exchange({}, here));
  auto there = activity("b", 10 * 60'000);
  there.requests = {{"t", 3, 10}};
  const auto shared = other_->exchange({}, there).value();
  std::vector<std::string> counts;
  for (const auto& [token, count, window] : shared.requests) {
    counts.push_back(token + " " + std::to_string(window) + ": " + std::to_string(count));
  }
  EXPECT_THAT(counts, UnorderedElementsAre("t 10: 5", "t 9: 1", "u 10: 7"));
}

TEST_P(StoreContract, HostsThatExchangeAtOnceLoseNoRequest) {
  everywhere([&](Store& store, int number) {
    auto mine = activity(std::to_string(number), 600'000);
    mine.requests = {{"t", 1, 10}, {"u", 2, 10}, {"v", 3, 10}};
    if (number % 2 == 0) std::ranges::reverse(mine.requests);
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(store.exchange({}, mine));
  });
  const auto shared = store_->exchange({}, activity("h", 600'000)).value();
  std::uint32_t sum = 0;
  for (const auto& count : shared.requests) sum += count.count;
  EXPECT_EQ(sum, 6u * 10u * 6u);
}

TEST_P(StoreContract, RequestsOfManyTokensAreToldAtOnce) {
  auto mine = activity("a", 600'000);
  for (int i = 0; i < 250; ++i) mine.requests.push_back({std::to_string(i), 3, 10});
  ASSERT_TRUE(store_->exchange({}, mine));
  const auto shared = store_->exchange({}, mine).value();
  EXPECT_EQ(shared.requests.size(), 250u);
  for (const auto& count : shared.requests) EXPECT_EQ(count.count, 6u);
}

TEST_P(StoreContract, StreamsAreThoseOfOtherHostsThatAreAlive) {
  auto first = activity("a", 10'000);
  first.streams = {{"t", 2, 0}, {"u", 1, 0}};
  auto second = activity("b", 12'000);
  second.streams = {{"t", 3, 0}};
  ASSERT_TRUE(store_->exchange({}, first));
  ASSERT_TRUE(other_->exchange({}, second));
  const auto streams_at = [&](const std::string& host, std::int64_t when) {
    std::vector<std::string> out;
    const auto shared = store_->exchange({}, activity(host, when)).value();
    for (const auto& stream : shared.streams) {
      out.push_back(stream.token + ": " + std::to_string(stream.count));
    }
    return out;
  };
  EXPECT_THAT(streams_at("c", 15'000), UnorderedElementsAre("t: 5", "u: 1"));
  EXPECT_THAT(streams_at("c", 15'001), ElementsAre("t: 3")) << "the first is silent for too long";
  EXPECT_THAT(streams_at("b", 15'000), UnorderedElementsAre("t: 2", "u: 1")) << "not its own";
  EXPECT_THAT(streams_at("c", 15'000), UnorderedElementsAre("t: 2", "u: 1"))
      << "what ran at its last exchange runs no more";
}

TEST_P(StoreContract, AnEndedSessionIsOverForAllUntilItExpires) {
  ASSERT_TRUE(store_->end_session({}, "s", at(5000)));
  ASSERT_TRUE(store_->end_session({}, "s", at(5000)));
  EXPECT_THAT(other_->exchange({}, activity("b", 4999))->ended_sessions, ElementsAre("s"));
  EXPECT_THAT(other_->exchange({}, activity("b", 5000))->ended_sessions, IsEmpty());
}

TEST_P(StoreContract, TheRevisionRisesWithEveryChangeAndWithNothingElse) {
  auto last = revision();
  const auto risen = [&] {
    const auto before = std::exchange(last, revision());
    return last > before;
  };
  ASSERT_TRUE(*other_->create_project({}, {"docs", at(1), {}}));
  EXPECT_TRUE(risen());
  ASSERT_TRUE(*other_->create_token({}, token("t", {"docs"}), hash(1)));
  EXPECT_TRUE(risen());
  ASSERT_TRUE(other_->add_resource({}, "docs", {{"name", "a"}}, 9));
  EXPECT_TRUE(risen());

  ASSERT_FALSE(*other_->create_project({}, {"docs", at(1), {}}));
  ASSERT_TRUE(*other_->create_token({}, token("t", {"docs"}), hash(1)));
  ASSERT_TRUE(other_->add_resource({}, "docs", {{"name", "a"}}, 9));
  ASSERT_FALSE(*other_->remove_resource({}, "docs", "b"));
  ASSERT_FALSE(*other_->revoke_token({}, "moon", at(9)));
  ASSERT_TRUE(other_->reserve({}, reservation("r", 1)));
  EXPECT_FALSE(risen());

  ASSERT_TRUE(*other_->remove_resource({}, "docs", "a"));
  EXPECT_TRUE(risen());
  ASSERT_TRUE(*other_->revoke_token({}, "t", at(9)));
  EXPECT_TRUE(risen());
  ASSERT_TRUE(*other_->revoke_token({}, "t", at(9)));
  EXPECT_FALSE(risen());
  ASSERT_TRUE(*other_->remove_project({}, "docs", at(9)));
  EXPECT_TRUE(risen());
}

TEST_P(StoreContract, MoneyIsPutAsideUpToTheLimitOfATokenAndOfAProject) {
  auto wanted = reservation("a", 60);
  wanted.token_limit = Money{100};
  EXPECT_EQ(reserve(wanted), Reserved::Outcome::kReserved);
  wanted.id = "b";
  const auto refused = other_->reserve({}, wanted).value();
  EXPECT_EQ(refused.outcome, Reserved::Outcome::kOverToken);
  EXPECT_EQ(refused.spent, Money{60});
  wanted.amount = {40};
  EXPECT_EQ(reserve(wanted), Reserved::Outcome::kReserved) << "up to the limit itself";

  wanted.id = "c";
  wanted.token = "u";
  wanted.project = "Docs";
  wanted.project_limit = Money{139};
  const auto over = store_->reserve({}, wanted).value();
  EXPECT_EQ(over.outcome, Reserved::Outcome::kOverProject);
  EXPECT_EQ(over.spent, Money{100});
  wanted.token_limit = Money{40};
  wanted.project_limit = Money{140};
  EXPECT_EQ(reserve(wanted), Reserved::Outcome::kReserved) << "what was refused took nothing";
}

TEST_P(StoreContract, EveryDayHasItsOwnMoney) {
  auto wanted = reservation("a", 100);
  wanted.token_limit = Money{100};
  ASSERT_EQ(reserve(wanted), Reserved::Outcome::kReserved);
  wanted.id = "b";
  wanted.day = 20'001;
  EXPECT_EQ(reserve(wanted), Reserved::Outcome::kReserved);
}

TEST_P(StoreContract, WhatIsPutAsideTwiceIsPutAsideOnce) {
  auto wanted = reservation("a", 60);
  wanted.token_limit = Money{100};
  ASSERT_EQ(reserve(wanted), Reserved::Outcome::kReserved);
  EXPECT_EQ(reserve(wanted), Reserved::Outcome::kReserved);
  wanted.id = "b";
  wanted.amount = {40};
  EXPECT_EQ(reserve(wanted), Reserved::Outcome::kReserved);
}

TEST_P(StoreContract, WhatIsSettledCountsAsItWasSpentAndOnlyOnce) {
  auto wanted = reservation("a", 60);
  wanted.token_limit = wanted.project_limit = Money{100};
  ASSERT_EQ(reserve(wanted), Reserved::Outcome::kReserved);
  ASSERT_TRUE(other_->settle({}, "a", Money{10}));
  ASSERT_TRUE(store_->settle({}, "a", Money{0}));
  ASSERT_TRUE(store_->settle({}, "moon", Money{10}));
  wanted.id = "b";
  wanted.amount = {91};
  const auto refused = store_->reserve({}, wanted).value();
  EXPECT_EQ(refused.outcome, Reserved::Outcome::kOverToken);
  EXPECT_EQ(refused.spent, Money{10});
  wanted.amount = {90};
  ASSERT_EQ(reserve(wanted), Reserved::Outcome::kReserved);
  ASSERT_TRUE(store_->settle({}, "b", Money{500})) << "it may have been more";
  wanted.id = "c";
  wanted.amount = {1};
  wanted.token_limit = {};
  const auto over = store_->reserve({}, wanted).value();
  EXPECT_EQ(over.outcome, Reserved::Outcome::kOverProject);
  EXPECT_EQ(over.spent, Money{510});
}

TEST_P(StoreContract, WhatExpiredWithoutBeingSettledCountsAsSpent) {
  auto wanted = reservation("a", 60);
  wanted.token_limit = Money{100};
  ASSERT_EQ(reserve(wanted), Reserved::Outcome::kReserved);
  wanted.id = "b";
  wanted.amount = {41};
  wanted.at = at(90'000);
  wanted.expires = at(91'000);
  EXPECT_EQ(reserve(wanted), Reserved::Outcome::kOverToken);
}

TEST_P(StoreContract, TheLargestSumsAreCounted) {
  const Money most{1'000'000'000'000'000};
  for (int i = 0; i < 12; ++i) {
    auto wanted = reservation(std::to_string(i), most.nanos);
    wanted.token_limit = i == 0 ? std::optional(most) : std::nullopt;
    ASSERT_EQ(reserve(wanted), Reserved::Outcome::kReserved);
  }
  auto more = reservation("more", 1);
  more.token_limit = most;
  const auto refused = store_->reserve({}, more).value();
  EXPECT_EQ(refused.outcome, Reserved::Outcome::kOverToken);
  EXPECT_GE(refused.spent, most);
}

TEST_P(StoreContract, HostsThatSpendAtOnceNeverSpendMoreThanTheLimits) {
  std::atomic<std::int64_t> put_aside = 0;
  everywhere([&](Store& store, int number) {
    for (int i = 0; i < 12; ++i) {
      auto wanted = reservation(std::to_string(number) + "/" + std::to_string(i), 10);
      wanted.token = number < 3 ? "t" : "u";
      wanted.token_limit = Money{200};
      wanted.project_limit = Money{300};
      const auto reserved = store.reserve({}, wanted);
      ASSERT_TRUE(reserved) << reserved.error().message;
      if (reserved->outcome == Reserved::Outcome::kReserved) put_aside += 10;
      if (i % 3 != 0 || reserved->outcome != Reserved::Outcome::kReserved) continue;
      ASSERT_TRUE(store.settle({}, wanted.id, Money{5}));
      put_aside -= 5;
    }
  });
  EXPECT_LE(put_aside, 300);
  auto one_more = reservation("more", 1);
  one_more.token = "v";
  one_more.project_limit = Money{put_aside};
  const auto refused = store_->reserve({}, one_more).value();
  EXPECT_EQ(refused.outcome, Reserved::Outcome::kOverProject);
  EXPECT_EQ(refused.spent, Money{put_aside}) << "not a nano-dollar is lost or counted twice";
}

TEST_P(StoreContract, CallsAreReadAgainAsTheyWereRecorded) {
  AuditEntry whole = entry(1234, "r1", "Docs");
  whole.host = "h";
  whole.token = "t";
  whole.method = "tools/call";
  whole.tool = "ask";
  whole.duration = std::chrono::milliseconds(77);
  whole.input_tokens = 10;
  whole.output_tokens = 0;
  whole.cost = Money{123'456'789};
  whole.cancelled = true;
  whole.question = std::string("what\0“is”?", 14);
  ASSERT_TRUE(store_->record({}, {whole}));
  ASSERT_TRUE(store_->record({}, {}));
  const auto read = other_->audit({}, {at(0), {}, "", 10}).value();
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].at, at(1234));
  EXPECT_EQ(read[0].project, "Docs");
  EXPECT_EQ(read[0].tool, "ask");
  EXPECT_EQ(read[0].status, 200);
  EXPECT_EQ(read[0].duration, std::chrono::milliseconds(77));
  EXPECT_EQ(read[0].input_tokens, 10);
  EXPECT_EQ(read[0].output_tokens, 0);
  EXPECT_EQ(read[0].cost, Money{123'456'789});
  EXPECT_TRUE(read[0].cancelled);
  EXPECT_EQ(read[0].question, whole.question);
}

TEST_P(StoreContract, TheNewestCallsComeFirstAsManyAsAreWanted) {
  ASSERT_TRUE(store_->record({}, {entry(20, "b"), entry(10, "a", "web"), entry(30, "c", "")}));
  ASSERT_TRUE(other_->record({}, {entry(20, "b2", "DOCS")}));
  EXPECT_THAT(requests_of({at(0), {}, "", 10}), ElementsAre("c", "b2", "b", "a"));
  EXPECT_THAT(requests_of({at(0), {}, "", 2}), ElementsAre("c", "b2"));
  EXPECT_THAT(requests_of({at(10), at(30), "", 10}), ElementsAre("b2", "b", "a"));
  EXPECT_THAT(requests_of({at(11), {}, "docs", 10}), ElementsAre("b2", "b"));
}

TEST_P(StoreContract, ManyCallsAreRecordedAtOnce) {
  std::vector<AuditEntry> many;
  for (int i = 0; i < 250; ++i) many.push_back(entry(i, std::to_string(i)));
  ASSERT_TRUE(store_->record({}, many));
  EXPECT_EQ(requests_of({at(0), {}, "", 1000}).size(), 250u);
}

TEST_P(StoreContract, WhatIsOldIsForgotten) {
  constexpr std::int64_t kDay = 86'400'000;
  ASSERT_TRUE(store_->record({}, {entry(20'001 * kDay - 1, "old"), entry(20'001 * kDay, "new")}));
  auto host = activity("a", 20'001 * kDay);
  host.requests = {{"t", 1, host.window - 1}, {"t", 2, host.window}};
  ASSERT_TRUE(store_->exchange({}, host));
  ASSERT_TRUE(store_->end_session({}, "old", at(20'001 * kDay - 1)));
  ASSERT_TRUE(store_->end_session({}, "new", at(20'001 * kDay)));
  for (const auto& [id, day, expires] : {std::tuple("settled", 20'000, 20'002 * kDay),
                                         {"expired", 20'000, 20'000 * kDay},
                                         {"open", 20'000, 20'002 * kDay},
                                         {"today", 20'001, 20'000 * kDay}}) {
    auto wanted = reservation(id, 10);
    wanted.day = day;
    wanted.expires = at(expires);
    ASSERT_EQ(reserve(wanted), Reserved::Outcome::kReserved);
  }
  ASSERT_TRUE(store_->settle({}, "settled", Money{3}));

  EXPECT_EQ(store_->forget({}, at(20'001 * kDay)).value(), 5)
      << "a call, a count, a session and the money of two reservations";
  EXPECT_EQ(store_->forget({}, at(20'001 * kDay)).value(), 0);
  EXPECT_THAT(requests_of({at(0), {}, "", 10}), ElementsAre("new"));
  const auto shared = store_->exchange({}, activity("a", 20'001 * kDay - 1)).value();
  EXPECT_EQ(shared.requests.size(), 0u);
  EXPECT_THAT(shared.ended_sessions, ElementsAre("new"));
  auto today = reservation("more", 1);
  today.day = 20'001;
  today.token_limit = Money{10};
  EXPECT_EQ(reserve(today), Reserved::Outcome::kOverToken);
}

TEST_P(StoreContract, ACallThatIsOverChangesNothing) {
  std::stop_source stop;
  stop.request_stop();
  const Call over{.stop = stop.get_token(), .deadline = {}, .progress = {}};
  const auto made = store_->create_project(over, {"docs", at(1), {}});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Code::kCancelled);
  EXPECT_THAT(store_->projects({}).value(), IsEmpty());
}

}  // namespace quarry::plugins
