#pragma once

#include "plugins/testing/store_contract_fixture.h"

namespace quarry::plugins {

// Contract of a store: activity of callers, spending and audit.

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
      << "its streams of the last exchange have ended";
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
  EXPECT_EQ(reserve(wanted), Reserved::Outcome::kReserved) << "the refused one reserved nothing";
}

TEST_P(StoreContract, WhatIsPutAsideIsToldApartFromWhatIsSpent) {
  auto wanted = reservation("a", 60);
  wanted.token_limit = Money{100};
  wanted.project_limit = Money{100};
  ASSERT_EQ(reserve(wanted), Reserved::Outcome::kReserved);
  wanted.id = "b";
  wanted.amount = {30};
  ASSERT_EQ(reserve(wanted), Reserved::Outcome::kReserved);
  const auto aside = [&] {
    wanted.id = "c";
    wanted.amount = {90};
    return other_->reserve({}, wanted).value();
  };
  EXPECT_EQ(aside().spent, Money{90});
  EXPECT_EQ(aside().aside, Money{90});
  ASSERT_TRUE(store_->settle({}, "a", Money{50}));
  EXPECT_EQ(aside().spent, Money{80});
  EXPECT_EQ(aside().aside, Money{30});
  wanted.token_limit = {};
  EXPECT_EQ(aside().outcome, Reserved::Outcome::kOverProject);
  EXPECT_EQ(aside().aside, Money{30});
  wanted.at = wanted.expires + std::chrono::milliseconds(1);
  EXPECT_EQ(aside().aside, Money{}) << "an expired one counts as spent";
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
  const services::Call over{.stop = stop.get_token()};
  const auto made = store_->create_project(over, {"docs", at(1), {}});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Code::kCancelled);
  EXPECT_THAT(store_->projects({}).value(), IsEmpty());
}

}  // namespace quarry::plugins
