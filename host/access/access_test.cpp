#include "access/access.h"

#include "access/testing/test_host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry::access {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

plugins::TokenRecord with(plugins::TokenLimits limits) {
  plugins::TokenRecord record;
  record.limits = std::move(limits);
  return record;
}

Money dollars(std::string_view text) {
  return parse_money(text).value();
}

std::string tag_of(const auto& result) {
  return result ? "" : result.error().tag;
}

TEST(Access, LetsInWhoBringsATokenAndSaysWhatItMay) {
  TestHost host;
  plugins::TokenRecord record;
  record.projects = {"docs", "api"};
  record.rights = {"ask", "list"};
  const FreshToken token = host.make(record);
  const auto admitted = host.access->admit(token.text, true);
  ASSERT_TRUE(admitted);
  EXPECT_EQ(admitted->token, token.id);
  EXPECT_THAT(admitted->projects, ElementsAre("docs", "api"));
  EXPECT_THAT(admitted->rights, ElementsAre("ask", "list"));
  EXPECT_FALSE(admitted->requests_per_minute);
}

TEST(Access, AsksTheStoreOnceForATokenThatDoesNotChange) {
  TestHost host;
  const FreshToken token = host.make();
  host.access->tick();
  EXPECT_FALSE(host.access->admit_known(token.text, false));
  ASSERT_TRUE(host.access->admit(token.text, false));
  const auto calls = host.store->calls();
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(host.access->admit(token.text, false));
  EXPECT_EQ(host.store->calls(), calls);
  EXPECT_TRUE(host.access->admit_known(token.text, false));
}

/// The message must reveal nothing to a caller who guesses.
TEST(Access, AllWrongTokensAreRefusedInTheSameWords) {
  TestHost host;
  plugins::TokenRecord record;
  record.expires = host.clock.now() + hours(1);
  const FreshToken expired = host.make(record);
  const FreshToken revoked = host.make();
  ASSERT_TRUE(host.store->revoke_token({}, revoked.id, host.clock.now()).value());
  host.own_clock.advance(hours(1));
  host.access->tick();
  const auto unknown = host.access->admit("qry_0", false);
  EXPECT_EQ(unknown.error().code, Code::kUnauthenticated);
  for (const auto& text : {expired.text, revoked.text, std::string()}) {
    const auto refused = host.access->admit(text, false);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message, unknown.error().message);
    EXPECT_EQ(refused.error().hint, unknown.error().hint);
    EXPECT_EQ(refused.error().tag, "AuthenticationError");
  }
}

/// With a store that cannot list the hashes of its tokens; see guessing_test.cpp for others.
TEST(Access, GuessingCostsTheStoreNoMoreThanAHundredLookupsASecond) {
  const auto store = std::make_shared<plugins::FakeStore>();
  store->tell_no_hashes();
  TestHost host(store);
  const FreshToken token = host.make();
  host.access->tick();
  ASSERT_TRUE(host.access->admit(token.text, false));
  const auto calls = host.store->calls();
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(host.access->admit("guess " + std::to_string(i), false));
  }
  EXPECT_LE(host.store->calls() - calls, 100);
  EXPECT_EQ(tag_of(host.access->admit("another", false)), "RateLimitError");
  EXPECT_TRUE(host.access->admit(token.text, false)) << "a known token is admitted";
  host.own_clock.advance(seconds(1));
  EXPECT_EQ(tag_of(host.access->admit("another", false)), "AuthenticationError");
}

TEST(Access, ARevokedTokenIsOutOnEveryHostWithinATick) {
  const auto store = std::make_shared<plugins::FakeStore>();
  FakeClock clock;
  TestHost one(store, &clock);
  TestHost other(store, &clock);
  const FreshToken token = one.make();
  for (TestHost* host : {&one, &other}) {
    host->access->tick();
    ASSERT_TRUE(host->access->admit(token.text, false));
  }
  ASSERT_TRUE(store->revoke_token({}, token.id, clock.now()).value());
  for (TestHost* host : {&one, &other}) {
    host->access->tick();
    EXPECT_EQ(tag_of(host->access->admit(token.text, false)), "AuthenticationError");
  }
}

TEST(Access, ATokenThatIsWithdrawnWhileItsQuestionRunsIsTold) {
  TestHost host;
  plugins::TokenRecord record;
  record.expires = host.clock.now() + hours(1);
  const FreshToken expiring = host.make(record);
  const FreshToken revoked = host.make();
  const FreshToken fine = host.make();
  std::vector<Access::StreamSlot> places;
  for (const auto& token : {expiring, revoked, fine}) {
    places.push_back(host.access->begin_stream(host.admit(token)).value());
  }
  ASSERT_TRUE(host.store->revoke_token({}, revoked.id, host.clock.now()).value());
  host.access->tick();
  EXPECT_THAT(host.withdrawn, ElementsAre(revoked.id));
  host.own_clock.advance(hours(1));
  host.withdrawn.clear();
  places[1].reset();
  host.access->tick();
  EXPECT_THAT(host.withdrawn, ElementsAre(expiring.id));
}

/// A store in which every token is valid.
class GenerousStore final : public plugins::FakeStore {
 public:
  Result<std::optional<plugins::FoundToken>> find_token(const services::Call& call,
                                                        std::string_view hash) override {
    auto found = FakeStore::find_token(call, hash);
    if (!found || *found) return found;
    plugins::FoundToken other;
    other.token.id = hash;
    other.token.projects = {"docs"};
    return std::optional(std::move(other));
  }
};

// The cache of tokens was emptied when it was full.
TEST(Access, ATokenIsKnownWhileItsQuestionRunsHoweverManyOthersCome) {
  TestHost host(std::make_shared<GenerousStore>());
  const FreshToken token = host.make();
  const Principal principal = host.admit(token);
  const auto place = host.access->begin_stream(principal).value();
  for (int i = 0; i < 20'000; ++i) {
    ASSERT_TRUE(host.access->admit("other " + std::to_string(i), false));
  }
  EXPECT_TRUE(host.access->principal(token.id, "", "ask"));
  EXPECT_TRUE(host.access->reserve(principal, {}, dollars("1")));
  ASSERT_TRUE(host.store->revoke_token({}, token.id, host.clock.now()).value());
  host.access->tick();
  EXPECT_THAT(host.withdrawn, ElementsAre(token.id));
}

TEST(Access, AProjectIsTheTokensOwnOrOneOfItsOthers) {
  TestHost host;
  plugins::TokenRecord record;
  record.projects = {"docs", "Api"};
  const FreshToken token = host.make(record);
  static_cast<void>(host.store->create_project({}, {"secret", host.clock.now(), {}}));
  host.admit(token);
  EXPECT_EQ(host.access->principal(token.id, "", "ask")->project, "docs");
  EXPECT_EQ(host.access->principal(token.id, "api", "ask")->project, "Api");
  const auto foreign = host.access->principal(token.id, "secret", "ask");
  const auto unknown = host.access->principal(token.id, "nowhere", "ask");
  EXPECT_EQ(tag_of(foreign), "ProjectError");
  EXPECT_EQ(foreign.error().code, unknown.error().code);
  EXPECT_EQ(foreign.error().message, "there is no project \"secret\"");
  EXPECT_EQ(foreign.error().hint, unknown.error().hint);
}

TEST(Access, ARightThatATokenHasNotGotIsNamed) {
  TestHost host;
  plugins::TokenRecord record;
  record.rights = {"list"};
  const FreshToken token = host.make(record);
  host.admit(token);
  const auto refused = host.access->principal(token.id, "", "add");
  EXPECT_EQ(tag_of(refused), "RightsError");
  EXPECT_THAT(refused.error().message, HasSubstr("right to add"));
}

TEST(Access, RequestsOfAMinuteAreCountedOverAllHosts) {
  const auto store = std::make_shared<plugins::FakeStore>();
  FakeClock clock;
  TestHost one(store, &clock);
  TestHost other(store, &clock);
  const FreshToken token = one.make(with({.requests_per_minute = 10}));
  for (TestHost* host : {&one, &other}) host->access->tick();
  for (int i = 0; i < 6; ++i) ASSERT_TRUE(one.access->admit(token.text, true)->rate.within);
  one.access->tick();
  other.access->tick();
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(other.access->admit(token.text, true)->rate.within);
  const auto over = other.access->admit(token.text, true);
  EXPECT_FALSE(over->rate.within);
  EXPECT_GT(over->rate.retry_after.count(), 0);
  other.access->tick();
  one.access->tick();
  EXPECT_FALSE(one.access->admit(token.text, true)->rate.within);
  clock.advance(minutes(2));
  one.access->tick();
  EXPECT_TRUE(one.access->admit(token.text, true)->rate.within);
}

TEST(Access, WhatIsOnlyLookedAtCountsNothing) {
  TestHost host;
  const FreshToken token = host.make(with({.requests_per_minute = 1}));
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(host.access->admit(token.text, false)->rate.within);
  EXPECT_TRUE(host.access->admit(token.text, true)->rate.within);
  EXPECT_FALSE(host.access->admit(token.text, true)->rate.within);
}

TEST(Access, ATokenWithoutALimitHasThatOfTheConfiguration) {
  config::Access rules;
  rules.requests_per_minute = 1;
  rules.streams = 1;
  TestHost host(std::make_shared<plugins::FakeStore>(), nullptr, rules);
  const FreshToken token = host.make();
  EXPECT_TRUE(host.access->admit(token.text, true)->rate.within);
  EXPECT_FALSE(host.access->admit(token.text, true)->rate.within);
  const auto principal = host.admit(token);
  const auto place = host.access->begin_stream(principal);
  EXPECT_EQ(tag_of(host.access->begin_stream(principal)), "RateLimitError");
}

TEST(Access, StreamsAreCountedOverAllHostsUntilTheyEnd) {
  const auto store = std::make_shared<plugins::FakeStore>();
  FakeClock clock;
  TestHost one(store, &clock);
  TestHost other(store, &clock);
  const FreshToken token = one.make(with({.streams = 2}));
  for (TestHost* host : {&one, &other}) host->access->tick();
  auto first = one.access->begin_stream(one.admit(token));
  ASSERT_TRUE(first);
  one.access->tick();
  other.access->tick();
  auto second = other.access->begin_stream(other.admit(token));
  ASSERT_TRUE(second);
  EXPECT_EQ(tag_of(other.access->begin_stream(other.admit(token))), "RateLimitError");
  first->reset();
  one.access->tick();
  other.access->tick();
  EXPECT_TRUE(other.access->begin_stream(other.admit(token)));
}

TEST(Access, ADaysMoneyIsNeverPutAsideTwice) {
  TestHost host;
  const FreshToken token = host.make(with({.usd_per_day = dollars("1")}));
  const Principal principal = host.admit(token);
  const auto first = host.access->reserve(principal, dollars("0.1"), dollars("0.7"));
  ASSERT_TRUE(first);
  EXPECT_EQ(first->amount, dollars("0.7"));
  const auto rest = host.access->reserve(principal, dollars("0.1"), dollars("0.7"));
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->amount, dollars("0.3")) << "the rest of the budget";
  const auto over = host.access->reserve(principal, dollars("0.1"), dollars("0.2"));
  EXPECT_EQ(tag_of(over), "BudgetError");
  EXPECT_THAT(over.error().message, HasSubstr("this token may spend $1 a day"));
  host.access->settle(*first, dollars("0.2"));
  EXPECT_TRUE(host.access->reserve(principal, dollars("0.1"), dollars("0.5")));
  host.own_clock.advance(hours(24));
  EXPECT_TRUE(host.access->reserve(principal, dollars("0.1"), dollars("1")));
}

TEST(Access, MoneyThatIsOnlyPutAsideIsNotSaidToBeSpent) {
  TestHost host;
  const FreshToken token = host.make(with({.usd_per_day = dollars("1")}));
  const Principal principal = host.admit(token);
  const auto hint = [&] {
    return host.access->reserve(principal, dollars("0.5"), dollars("0.5")).error().hint;
  };
  const auto first = host.access->reserve(principal, dollars("0.1"), dollars("0.3"));
  const auto second = host.access->reserve(principal, dollars("0.1"), dollars("0.4"));
  const auto refused = host.access->reserve(principal, dollars("0.5"), dollars("0.5"));
  EXPECT_EQ(tag_of(refused), "BudgetError");
  EXPECT_THAT(refused.error().message,
              HasSubstr("$0.3 is available, $0.7 is reserved for running questions"));
  EXPECT_THAT(hint(), HasSubstr("in a few seconds"));
  host.access->settle(*first, dollars("0.3"));
  EXPECT_THAT(hint(), HasSubstr("in a few seconds")) << "0.7 is free once the other has ended";
  host.access->settle(*second, dollars("0.4"));
  EXPECT_THAT(hint(), HasSubstr("tomorrow"));
}

TEST(Access, WithoutALimitNothingIsPutAside) {
  TestHost host;
  const Principal principal = host.admit(host.make());
  const auto calls = host.store->calls();
  const auto kept = host.access->reserve(principal, {}, dollars("1000"));
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->amount, dollars("1000"));
  host.access->settle(*kept, dollars("1"));
  EXPECT_EQ(host.store->calls(), calls);
}

TEST(Access, WhatCouldNotBeSettledIsSettledLater) {
  TestHost host;
  const FreshToken token = host.make(with({.usd_per_day = dollars("1")}));
  const Principal principal = host.admit(token);
  const auto kept = host.access->reserve(principal, {}, dollars("1"));
  host.store->fail_with(Error{Code::kUnavailable, "away"});
  host.access->settle(*kept, {});
  host.access->tick();
  host.store->fail_with(std::nullopt);
  host.access->tick();
  EXPECT_TRUE(host.access->reserve(principal, dollars("1"), dollars("1")));
}

TEST(Access, ResourcesOfAProjectAreSeenByEveryHostWithinATick) {
  const auto store = std::make_shared<plugins::FakeStore>();
  FakeClock clock;
  TestHost one(store, &clock);
  TestHost other(store, &clock);
  const FreshToken token = one.make();
  for (TestHost* host : {&one, &other}) host->access->tick();
  const Principal principal = one.admit(token);
  other.admit(token);
  EXPECT_TRUE((*other.access->resources(principal))->empty());
  const Json resource{{"name", "zod"}, {"type", "npm"}};
  EXPECT_EQ(*one.access->add_resource(principal, resource), resource);
  EXPECT_THAT(**one.access->resources(principal), ElementsAre(resource));
  other.access->tick();
  EXPECT_THAT(**other.access->resources(principal), ElementsAre(resource));
}

TEST(Access, SecretsAreThoseOfTheProjectWithinATick) {
  TestHost host;
  const FreshToken token = host.make({.id = {},
                                      .projects = {"docs", "web"},
                                      .rights = {},
                                      .label = {},
                                      .created = {},
                                      .expires = {},
                                      .revoked = {},
                                      .limits = {}});
  const Principal docs = host.admit(token);
  const Principal web = host.access->principal(token.id, "web", "ask").value();
  EXPECT_TRUE((*host.access->secrets(docs))->empty());
  ASSERT_TRUE(*host.store->set_secret({}, {"1", "docs", "kit", "token", "s", "x", {}}));
  host.access->tick();
  ASSERT_EQ((*host.access->secrets(docs))->size(), 1u);
  EXPECT_EQ((*host.access->secrets(docs))->front().id, "1");
  EXPECT_TRUE((*host.access->secrets(web))->empty());
  ASSERT_TRUE(*host.store->remove_secret({}, "docs", "kit", "token"));
  host.access->tick();
  EXPECT_TRUE((*host.access->secrets(docs))->empty());
}

TEST(Access, ANameThatIsTakenAnswersTheResourceThatHasIt) {
  TestHost host;
  const Principal principal = host.admit(host.make());
  const Json first{{"name", "zod"}, {"package", "zod"}};
  ASSERT_TRUE(host.access->add_resource(principal, first));
  EXPECT_EQ(*host.access->add_resource(principal, {{"name", "ZOD"}, {"package", "other"}}), first);
}

TEST(Access, AProjectHasOnlySoManyResources) {
  config::Access rules;
  rules.max_resources = 1;
  TestHost host(std::make_shared<plugins::FakeStore>(), nullptr, rules);
  const Principal principal = host.admit(host.make());
  ASSERT_TRUE(host.access->add_resource(principal, {{"name", "a"}}));
  const auto full = host.access->add_resource(principal, {{"name", "b"}});
  EXPECT_EQ(tag_of(full), "RateLimitError");
  EXPECT_THAT(full.error().hint, HasSubstr("access.max_resources"));
}

TEST(Access, ASessionIsItsTokensAloneAndLivesOnEveryHost) {
  const auto store = std::make_shared<plugins::FakeStore>();
  FakeClock clock;
  TestHost one(store, &clock);
  const Principal principal = one.admit(one.make());
  const Principal foreign = one.admit(one.make());
  const std::string session = one.access->open_session(principal);
  TestHost other(store, &clock);
  EXPECT_TRUE(other.access->is_live(principal, session)) << "also after a restart";
  EXPECT_FALSE(other.access->is_live(foreign, session));
  EXPECT_FALSE(other.access->is_live(principal, session + "0"));
  EXPECT_FALSE(other.access->end_session(foreign, session).value());
  EXPECT_TRUE(other.access->end_session(principal, session).value());
  EXPECT_FALSE(other.access->is_live(principal, session));
  EXPECT_FALSE(other.access->end_session(principal, session).value());
  one.access->tick();
  EXPECT_FALSE(one.access->is_live(principal, session));
}

TEST(Access, ASessionHasAnEnd) {
  TestHost host;
  const Principal principal = host.admit(host.make());
  const std::string session = host.access->open_session(principal);
  host.own_clock.advance(hours(7 * 24));
  EXPECT_FALSE(host.access->is_live(principal, session));
}

/// Without the store, revocations and limits could not be enforced.
TEST(Access, NobodyIsLetInOnceTheStoreHasBeenAwayForLong) {
  TestHost host;
  const FreshToken token = host.make();
  host.admit(token);
  host.store->fail_with(Error{Code::kUnavailable, "connection refused"});
  host.own_clock.advance(seconds(5));
  host.access->tick();
  EXPECT_TRUE(host.access->admit(token.text, false));
  host.own_clock.advance(seconds(1));
  host.access->tick();
  EXPECT_EQ(host.access->admit(token.text, false).error().code, Code::kUnavailable);
  EXPECT_THAT(host.warnings, ElementsAre(HasSubstr("connection refused"))) << "once";
  host.store->fail_with(std::nullopt);
  host.access->tick();
  EXPECT_TRUE(host.access->admit(token.text, false));
}

TEST(Access, CallsAreInTheAuditAfterATick) {
  TestHost host;
  plugins::AuditEntry entry;
  entry.at = host.clock.now();
  entry.request = "r1";
  host.access->record(entry);
  host.access->tick();
  const auto kept = host.store->audit({}, {entry.at, {}, "", 10});
  ASSERT_EQ(kept->size(), 1u);
  EXPECT_EQ(kept->front().request, "r1");
  EXPECT_FALSE(kept->front().host.empty());
}

TEST(Access, AnAuditFileThatCannotBeWrittenIsReportedOnce) {
  config::Access rules;
  rules.audit_file = "/";
  TestHost host(std::make_shared<plugins::FakeStore>(), nullptr, rules);
  plugins::AuditEntry entry;
  entry.at = host.clock.now();
  host.access->record(entry);
  for (int i = 0; i < 3; ++i) host.access->tick();
  EXPECT_THAT(host.warnings, ElementsAre(HasSubstr("the audit file")));
}

TEST(Access, OldCallsAreForgotten) {
  config::Access rules;
  rules.audit_days = std::chrono::days(30);
  TestHost host(std::make_shared<plugins::FakeStore>(), nullptr, rules);
  plugins::AuditEntry entry;
  entry.at = host.clock.now();
  host.access->record(entry);
  host.access->tick();
  host.own_clock.advance(hours(24 * 31));
  host.access->tick();
  EXPECT_TRUE(host.store->audit({}, {entry.at, {}, "", 10})->empty());
}

TEST(Access, AStoreThatCannotBeOpenedIsAFailureInItsWords) {
  const auto store = std::make_shared<plugins::FakeStore>();
  store->fail_with(Error{Code::kUnsupported, "the database is of version 9"});
  FakeClock clock;
  const auto opened = Access::open({store, clock, {}, nullptr, nullptr});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Code::kUnsupported);
  EXPECT_THAT(opened.error().message, HasSubstr("version 9"));
}

}  // namespace
}  // namespace quarry::access
