#include "resources/fetch_queue.h"

#include "base/testing/test_executors.h"
#include "base/testing/waiting.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <latch>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::resources {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

/// Holds started jobs until the test runs them.
class HeldExecutor final : public Executor {
 public:
  void submit(std::function<void()> job) override { jobs.push_back(std::move(job)); }
  [[nodiscard]] std::size_t concurrency() const override { return 1; }
  /// Runs the job that started first to its end.
  void run_first() {
    const auto job = std::move(jobs.front());
    jobs.pop_front();
    job();
  }
  std::deque<std::function<void()>> jobs;
};

struct QueueOfNames {
  explicit QueueOfNames(FetchQueue::Limits limits = {}) : queue(executor, limits) {}
  ~QueueOfNames() { run_all(); }
  QueueOfNames(const QueueOfNames&) = delete;
  QueueOfNames& operator=(const QueueOfNames&) = delete;

  FetchQueue::TicketPointer make(const std::string& name, std::string host = "") {
    return FetchQueue::make({std::move(host), [this, name] { ran.push_back(name); },
                             [this, name](std::size_t ahead) { told[name].push_back(ahead); }});
  }
  FetchQueue::TicketPointer add(const std::string& name, const Claim& claim,
                                std::string host = "") {
    auto ticket = make(name, std::move(host));
    queue.claim(ticket, claim);
    return ticket;
  }
  std::vector<FetchQueue::TicketPointer> add_many(int count, const Claim& claim,
                                                  const std::string& host = "") {
    std::vector<FetchQueue::TicketPointer> tickets;
    for (int i = 0; i < count; ++i) {
      tickets.push_back(add(claim.principal + std::to_string(i), claim, host));
    }
    return tickets;
  }
  [[nodiscard]] std::size_t begun() const { return executor.jobs.size(); }
  /// Runs started jobs and those that start meanwhile, in that order.
  std::vector<std::string> run_all() {
    while (begun() > 0) executor.run_first();
    return std::exchange(ran, {});
  }

  HeldExecutor executor;
  std::vector<std::string> ran;
  std::map<std::string, std::vector<std::size_t>> told;
  FetchQueue queue;
};

TEST(FetchQueue, AnotherClaimOnARunningJobKeepsItsPrincipalsTurn) {
  QueueOfNames jobs({.at_once = 2});
  const auto first = jobs.add("a0", {"a"});
  jobs.add("b0", {"b"});
  jobs.queue.claim(first, {"a"});
  jobs.add("a1", {"a"});
  jobs.add("c0", {"c"});
  EXPECT_THAT(jobs.run_all(), ElementsAre("a0", "b0", "c0", "a1"));
}

TEST(FetchQueue, ThePrincipalsNinthJobWaitsAndAnotherPrincipalsBegins) {
  QueueOfNames jobs;
  jobs.add_many(9, {"a"});
  EXPECT_EQ(jobs.begun(), 8u);
  jobs.add("other", {"b"});
  EXPECT_EQ(jobs.begun(), 9u);
  jobs.executor.run_first();
  EXPECT_EQ(jobs.begun(), 9u) << "the ninth began";
}

TEST(FetchQueue, FromOneHostRunAFewAtOnceButOneForEachPrincipal) {
  QueueOfNames jobs;
  jobs.add_many(6, {"a"}, "one.example");
  EXPECT_EQ(jobs.begun(), 4u);
  jobs.add("elsewhere", {"a"}, "two.example");
  EXPECT_EQ(jobs.begun(), 5u) << "waiting for one host does not block another";
  jobs.add_many(2, {"b"}, "one.example");
  EXPECT_EQ(jobs.begun(), 6u);
  EXPECT_EQ(jobs.run_all().size(), 9u);
}

TEST(FetchQueue, AnotherTypeMayExceedTheShareOfAPrincipal) {
  QueueOfNames jobs;
  const auto add = [&](const std::string& name, const std::string& type) {
    auto job = FetchQueue::Job{
        .host = "", .run = [&, name] { jobs.ran.push_back(name); }, .waits = {}, .type = type};
    jobs.queue.claim(FetchQueue::make(std::move(job)), {"a"});
  };
  for (int i = 0; i < 10; ++i) add("hung" + std::to_string(i), "hung");
  EXPECT_EQ(jobs.begun(), 8u);
  for (const std::string type : {"git", "git", "npm", "pypi"}) add(type, type);
  EXPECT_EQ(jobs.begun(), 10u) << "one of git, one of npm";
  EXPECT_EQ(jobs.run_all().size(), 14u);
}

TEST(FetchQueue, PrincipalsTakeTurns) {
  QueueOfNames jobs({.at_once = 2, .per_principal = 1});
  jobs.add_many(3, {"a"});
  jobs.add_many(2, {"b"});
  jobs.add_many(1, {"c"});
  EXPECT_THAT(jobs.run_all(), ElementsAre("a0", "b0", "c0", "a1", "b1", "a2"));
}

TEST(FetchQueue, TheLastFreeSlotsStayAvailableToIdlePrincipals) {
  QueueOfNames jobs;
  for (char name = 'a'; name < 'a' + 7; ++name) jobs.add_many(100, {std::string(1, name)});
  EXPECT_EQ(jobs.begun(), 56u);
  for (char name = 'h'; name < 'h' + 10; ++name) {
    const std::size_t before = jobs.begun();
    jobs.add_many(100, {std::string(1, name)});
    EXPECT_TRUE(name >= 'l' || jobs.begun() > before) << name;
    EXPECT_LE(jobs.begun(), 64u);
  }
  EXPECT_EQ(jobs.run_all().size(), 1700u);
}

TEST(FetchQueue, SaysHowManyComeBefore) {
  QueueOfNames jobs({.at_once = 8, .per_principal = 2});
  jobs.add_many(4, {"a"});
  jobs.add("later", {"a", true});
  EXPECT_THAT(jobs.told["a0"], IsEmpty());
  EXPECT_THAT(jobs.told["a2"], ElementsAre(2));
  EXPECT_THAT(jobs.told["a3"], ElementsAre(3));
  EXPECT_THAT(jobs.told["later"], ElementsAre(4));
  jobs.executor.run_first();
  EXPECT_THAT(jobs.told["a2"], ElementsAre(2)) << "it began";
  EXPECT_THAT(jobs.told["a3"], ElementsAre(3, 2));
  EXPECT_THAT(jobs.told["later"], ElementsAre(4, 3));
}

TEST(FetchQueue, OneWhoWaitsForAHostIsToldOfOneAhead) {
  QueueOfNames jobs({.at_once = 1});
  jobs.add("running", {"a"});
  jobs.add("waiting", {"b"});
  EXPECT_THAT(jobs.told["waiting"], ElementsAre(1));
}

TEST(FetchQueue, DropsAThousandThatWaitAtOnce) {
  QueueOfNames jobs;
  const auto token = std::make_shared<int>();
  std::vector<FetchQueue::TicketPointer> tickets;
  for (int i = 0; i < 1008; ++i) {
    tickets.push_back(FetchQueue::make({"", [token] {}, nullptr}));
    jobs.queue.claim(tickets.back(), {"a"});
  }
  EXPECT_EQ(token.use_count(), 1009);
  for (const auto& ticket : tickets) jobs.queue.drop(ticket);
  EXPECT_EQ(token.use_count(), 9) << "those that run are not dropped";
  jobs.run_all();
  EXPECT_EQ(token.use_count(), 1);
  EXPECT_EQ((jobs.add_many(8, {"a"}), jobs.begun()), 8u) << "nothing counts any more";
}

TEST(FetchQueue, AJobOfTwoBeginsWithTheTurnOfTheFirst) {
  QueueOfNames jobs({.at_once = 64, .per_principal = 1});
  jobs.add_many(3, {"a"});
  const auto shared = jobs.add("shared", {"a"});
  EXPECT_EQ(jobs.begun(), 1u);
  jobs.queue.claim(shared, {"b"});
  EXPECT_EQ(jobs.begun(), 2u) << "a's line does not hold up b";
  jobs.add("another of b", {"b"});
  EXPECT_EQ(jobs.begun(), 2u) << "it counts for b";
  EXPECT_THAT(jobs.run_all(), UnorderedElementsAre("a0", "a1", "a2", "shared", "another of b"));
}

TEST(FetchQueue, ARunningJobThatOneLeavesCountsForTheOther) {
  QueueOfNames jobs({.at_once = 64, .per_principal = 1});
  const auto shared = jobs.add("shared", {"a"});
  jobs.queue.claim(shared, {"b"});
  jobs.add("next of a", {"a"});
  jobs.add("first of b", {"b"});
  EXPECT_EQ(jobs.begun(), 2u) << "b has nothing else yet";
  jobs.queue.disclaim(shared, {"a"});
  EXPECT_EQ(jobs.begun(), 3u) << "a may go on";
  jobs.add("next of b", {"b"});
  EXPECT_EQ(jobs.begun(), 3u);
  EXPECT_EQ(jobs.run_all().size(), 4u);
}

TEST(FetchQueue, AWaitingJobThatOneLeavesStaysForTheOther) {
  QueueOfNames jobs({.at_once = 64, .per_principal = 1});
  jobs.add_many(1, {"a"});
  jobs.add_many(1, {"b"});
  const auto shared = jobs.add("shared", {"a"});
  jobs.queue.claim(shared, {"b"});
  jobs.queue.disclaim(shared, {"a"});
  EXPECT_THAT(jobs.run_all(), ElementsAre("a0", "b0", "shared"));
}

TEST(FetchQueue, WhatNobodyWaitsForComesLastAndTakesHalfAShareAtMost) {
  QueueOfNames jobs;
  jobs.add_many(6, {"a", true});
  EXPECT_EQ(jobs.begun(), 4u);
  jobs.add_many(4, {"a"});
  EXPECT_EQ(jobs.begun(), 8u);
  jobs.add("wanted", {"a"});
  jobs.executor.run_first();
  EXPECT_EQ(jobs.executor.jobs.size(), 8u);
  const auto order = jobs.run_all();
  EXPECT_LT(std::ranges::find(order, "wanted"), std::ranges::find(order, "a4"));
}

TEST(FetchQueue, WhatSomebodyBeginsToWaitForIsNoLongerLast) {
  QueueOfNames jobs({.at_once = 64, .per_principal = 1});
  jobs.add("running", {"a"});
  const auto refresh = jobs.add("refresh", {"a", true});
  const auto other = jobs.add("other refresh", {"a", true});
  jobs.queue.claim(other, {"a"});
  jobs.add("wanted", {"a"});
  EXPECT_THAT(jobs.run_all(), ElementsAre("running", "other refresh", "wanted", "refresh"));
}

TEST(FetchQueue, TakesNoticeOfALeaveThatComesBeforeItsClaim) {
  QueueOfNames jobs;
  const auto ticket = jobs.make("x");
  jobs.queue.disclaim(ticket, {"a"});
  jobs.queue.claim(ticket, {"a"});
  EXPECT_EQ(jobs.begun(), 0u);
  jobs.queue.claim(ticket, {"b"});
  EXPECT_THAT(jobs.run_all(), ElementsAre("x"));
  jobs.queue.claim(ticket, {"c"});
  jobs.queue.drop(ticket);
  EXPECT_THAT(jobs.run_all(), IsEmpty()) << "it has ended";
}

TEST(FetchQueue, WhatTheExecutorDropsEndsOneAfterTheOther) {
  class Dropping final : public Executor {
   public:
    void submit(std::function<void()> job) override {
      if (hold) held.push_back(std::move(job));
    }
    [[nodiscard]] std::size_t concurrency() const override { return 1; }
    bool hold = true;
    std::vector<std::function<void()>> held;
  } executor;
  FetchQueue queue(executor, {.at_once = 1});
  const auto token = std::make_shared<int>();
  for (int i = 0; i < 5'000; ++i) {
    queue.claim(FetchQueue::make({"", [token] { ADD_FAILURE(); }, nullptr}), {"a"});
  }
  executor.hold = false;
  executor.held.clear();
  EXPECT_EQ(token.use_count(), 1);
}

TEST(FetchQueue, EveryJobRunsOrIsDroppedWhateverHappensAtOnce) {
  constexpr int kThreads = 8;
  constexpr int kJobs = 300;
  std::atomic<int> ended = 0;
  std::atomic<int> at_once = 0;
  std::atomic<int> most = 0;
  struct TellsItsEnd {
    std::atomic<int>& count;
    ~TellsItsEnd() { ++count; }
  };
  {
    Threads executor(16);
    FetchQueue queue(executor, {.at_once = 6, .per_principal = 4, .per_host = 3});
    std::vector<std::thread> askers;
    std::latch begin(kThreads);
    for (int number = 0; number < kThreads; ++number) {
      askers.emplace_back([&, number] {
        begin.arrive_and_wait();
        for (int i = 0; i < kJobs; ++i) {
          const Claim mine{std::to_string(number % 4), i % 3 == 0};
          const Claim other{std::to_string((number + 1) % 4)};
          const auto ticket =
              FetchQueue::make({i % 2 == 0 ? "even" : "",
                                [&, tells = std::make_shared<TellsItsEnd>(ended)] {
                                  const int now = ++at_once;
                                  int seen = most;
                                  while (now > seen && !most.compare_exchange_weak(seen, now))
                                    continue;
                                  --at_once;
                                },
                                [](std::size_t ahead) { EXPECT_GT(ahead, 0u); }});
          queue.claim(ticket, mine);
          queue.claim(ticket, other);
          queue.disclaim(ticket, mine);
          if (i % 5 == 0) queue.drop(ticket);
        }
      });
    }
    for (std::thread& asker : askers) asker.join();
    wait_until([&] { return ended == kThreads * kJobs; });
  }
  EXPECT_EQ(ended, kThreads * kJobs);
  EXPECT_LE(most, 6);
}

}  // namespace
}  // namespace quarry::resources
