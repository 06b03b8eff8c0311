#include "ask/unpriced.h"

#include "ask/testing/test_services.h"

#include <future>

#include <gmock/gmock.h>

namespace quarry::ask {
namespace {

using ::testing::HasSubstr;
using testing::say;
using testing::TestServices;

Money money(std::string_view text) {
  return parse_money(text).value();
}

/// Grants every reservation; limited or not.
class UnpricedBudget final : public SharedBudget {
 public:
  explicit UnpricedBudget(bool limited) : limited_(limited) {}
  bool is_limited() const override { return limited_; }
  Result<BudgetReservation> reserve(Money, Money most) override {
    return BudgetReservation{"1", most};
  }
  void settle(const BudgetReservation&, Money spent) override { settled = spent; }
  std::optional<Money> settled;

 private:
  const bool limited_;
};

plugins::ModelRates rates(std::string_view input, std::string_view output) {
  plugins::ModelRates out{.source = "static", .date = {}, .rates = {}, .tiers = {}};
  if (!input.empty()) out.rates.input = money(input);
  if (!output.empty()) out.rates.output = money(output);
  return out;
}

struct Unpriced : ::testing::Test {
  /// The last event of a question whose money is limited.
  testing::Event end(Request request) {
    request.limits.max_cost = money("1");
    return services.events(services.start(std::move(request))).back();
  }
  TestServices services;
};

TEST_F(Unpriced, AModelIsRefusedWhereMoneyIsLimited) {
  const auto error = end(services.request({say("never asked")}));
  EXPECT_EQ(error.type, "error");
  EXPECT_EQ(error.json["tag"], "ConfigError");
  EXPECT_EQ(error.json["message"], "the price of fake/m1 is unknown, and a limit in money applies");
  EXPECT_THAT(error.json["hint"].get<std::string>(),
              HasSubstr(R"("fake/m1" = { input = "…", output = "…" })"));
  EXPECT_TRUE(services.model_requests().empty());
}

TEST_F(Unpriced, ABudgetWithALimitRefusesItAndOneWithoutDoesNot) {
  for (const bool limited : {true, false}) {
    auto request = services.request({say("asked")});
    request.shared_budget = std::make_shared<UnpricedBudget>(limited);
    const auto end = services.events(services.start(std::move(request))).back();
    EXPECT_EQ(end.type, limited ? "error" : "done");
  }
}

TEST_F(Unpriced, APriceIsKnownIfBothPartsAre) {
  Candidate candidate;
  EXPECT_FALSE(is_priced(candidate));
  candidate.rates = rates("1", "");
  EXPECT_FALSE(is_priced(candidate));
  candidate.rates = rates("1", "2");
  EXPECT_TRUE(is_priced(candidate));
  candidate.rates.reset();
  candidate.local = true;
  EXPECT_TRUE(is_priced(candidate));
}

TEST_F(Unpriced, HalfAPriceIsNone) {
  services.rates = rates("1", "");
  EXPECT_EQ(end(services.request({say("never asked")})).json["message"],
            "the output price of fake/m1 is unknown, and a limit in money applies");
  services.rates = rates("", "1");
  EXPECT_THAT(end(services.request({say("never asked")})).json["message"].get<std::string>(),
              HasSubstr("the input price of fake/m1"));
  services.rates = rates("1", "2");
  EXPECT_EQ(end(services.request({say("asked")})).type, "done");
}

TEST_F(Unpriced, OneThatCostsNothingIsAsked) {
  auto request = services.request({say("free")});
  request.models[0].local = true;
  EXPECT_EQ(end(std::move(request)).type, "done");
}

TEST_F(Unpriced, TheOwnerMayAllowIt) {
  auto request = services.request({say("asked")});
  request.limits.allow_unpriced = true;
  EXPECT_EQ(end(std::move(request)).type, "done");
}

TEST_F(Unpriced, AFallbackWithAPriceStandsInForOneWithout) {
  auto request = services.request(
      {{"a", {say("never asked")}}, {"b", {say("never asked")}}, {"c", {say("cheap")}}});
  request.models[2].rates = rates("1", "2");
  const auto done = end(std::move(request));
  ASSERT_EQ(done.type, "done");
  EXPECT_EQ(done.json["text"], "cheap");
  EXPECT_EQ(done.json["model"]["provider"], "c");
  ASSERT_EQ(done.json["fallbacks"].size(), 2u);
  EXPECT_EQ(done.json["fallbacks"][0]["message"],
            "the price of a/m1 is unknown, and a limit in money applies");
}

TEST_F(Unpriced, AFallbackWithoutAPriceDoesNotStandInForOneThatIsDown) {
  auto request = services.request({{"a", {testing::fail_with(503)}}, {"b", {say("never asked")}}});
  request.models[0].rates = rates("1", "2");
  const auto error = end(std::move(request));
  EXPECT_EQ(error.type, "error");
  EXPECT_THAT(error.json["message"].get<std::string>(),
              HasSubstr("a/m1: HTTP 503: overloaded; the price of b/m1"));
  EXPECT_TRUE(services.model_requests().empty());
}

/// Settled amount of a call that `script` answers; a dollar a million tokens read, two written.
struct Untold : Unpriced {
  Money settled_of(testing::Script script) {
    services.rates = rates("1", "2");
    auto request = services.request({std::move(script)});
    const auto shared_budget = std::make_shared<UnpricedBudget>(true);
    request.shared_budget = shared_budget;
    services.events(services.start(std::move(request)));
    return shared_budget->settled.value();
  }
  /// Price of the most output that a call may write here.
  const Money most_written{8192 * 2'000};
};

TEST_F(Untold, UsageThatIsNotToldCountsAsTheMostThatTheCallMayHaveUsed) {
  EXPECT_GT(settled_of(say("so")), most_written);
}

TEST_F(Untold, TokensWrittenThatAreNotToldCountAsAllThatWasAllowed) {
  EXPECT_EQ(settled_of([](const std::string&, std::stop_token, StepSink& sink) {
              sink.text("so");
              sink.usage({.input = 1000, .output = 0});
              sink.finish(plugins::Finish::kStop);
            }),
            Money{1000 * 1'000} + most_written);
}

TEST_F(Untold, AnAnswerThatBreaksOffCountsInFull) {
  EXPECT_EQ(settled_of([](const std::string&, std::stop_token, StepSink& sink) {
              sink.usage({.input = 1000, .output = 1});
              sink.text("so");
              sink.error({.code = Code::kUnavailable, .message = "cut"});
            }),
            Money{1000 * 1'000} + most_written);
}

TEST_F(Untold, ACallThatWasStoppedCountsInFull) {
  services.rates = rates("1", "2");
  std::promise<void> asked;
  auto request = services.request({[&](const std::string&, std::stop_token stop, StepSink&) {
    asked.set_value();
    std::promise<void> stopped;
    const std::stop_callback heard(stop, [&] { stopped.set_value(); });
    stopped.get_future().wait();
  }});
  const auto shared_budget = std::make_shared<UnpricedBudget>(true);
  request.shared_budget = shared_budget;
  const auto question = services.start(request);
  asked.get_future().wait();
  question->stop(StopReason::kAsked);
  services.events(question);
  EXPECT_GT(shared_budget->settled.value(), most_written);
}

TEST_F(Untold, AFailureBeforeAnythingWasSaidCountsNothing) {
  EXPECT_EQ(settled_of(testing::fail_with(503)), Money{});
}

TEST_F(Untold, CachedInputWithoutARateCountsAsInputAndWrittenAsTwice) {
  EXPECT_EQ(settled_of([](const std::string&, std::stop_token, StepSink& sink) {
              sink.text("so");
              sink.usage({.input = 1000, .output = 10, .cache_read = 300, .cache_write = 200});
              sink.finish(plugins::Finish::kStop);
            }),
            Money{(1000 + 200) * 1'000 + 10 * 2'000});
}

}  // namespace
}  // namespace quarry::ask
