#include "ask/shared_budget.h"

#include "ask/allowance.h"
#include "ask/testing/test_services.h"

#include <future>

#include <gmock/gmock.h>

namespace quarry::ask {
namespace {

using testing::call_tools;
using ::testing::ElementsAre;
using testing::say;
using testing::TestServices;

Money dollars(std::string_view text) {
  return parse_money(text).value();
}

/// A budget with a fixed amount that records its calls.
class TestBudget final : public SharedBudget {
 public:
  explicit TestBudget(Money has) : has_(has) {}
  bool is_limited() const override { return true; }
  Result<BudgetReservation> reserve(Money least, Money most) override {
    const std::lock_guard lock(mutex_);
    const Money amount = std::min(most, has_);
    if (amount < least) {
      return Error{Code::kResourceExhausted, "the day's money is used up"}.tagged("BudgetError");
    }
    has_.nanos -= amount.nanos;
    return BudgetReservation{std::to_string(++calls), amount};
  }
  void settle(const BudgetReservation& reservation, Money spent) override {
    const std::lock_guard lock(mutex_);
    has_.nanos += reservation.amount.nanos - spent.nanos;
    settled.push_back(spent);
  }
  [[nodiscard]] Money has() const { return has_; }

  std::vector<Money> settled;
  int calls = 0;

 private:
  std::mutex mutex_;
  Money has_;
};

/// A dollar a million tokens read, two a million written.
plugins::ModelRates rates() {
  plugins::ModelRates out{.source = "static", .date = "2026-01-01", .rates = {}, .tiers = {}};
  out.rates.input = dollars("1");
  out.rates.output = dollars("2");
  return out;
}

testing::Script step(std::int64_t input, std::int64_t output, bool goes_on, std::string text) {
  return [=](const std::string&, std::stop_token, StepSink& sink) {
    if (!text.empty()) sink.text(text);
    if (goes_on) sink.tool_call(0, "", "list", "");
    sink.usage({.input = input, .output = output});
    sink.finish(goes_on ? plugins::Finish::kToolCalls : plugins::Finish::kStop);
  };
}

TEST(SharedBudget, EachCallIsPutAsideAndSettledByWhatItCost) {
  TestServices services;
  services.rates = rates();
  auto request = services.request({step(1000, 100, true, ""), step(2000, 50, false, "done")});
  const auto shared_budget = std::make_shared<TestBudget>(dollars("1"));
  request.shared_budget = shared_budget;
  const auto events = services.events(services.start(request));
  EXPECT_EQ(events.back().json["finishReason"], "stop");
  EXPECT_THAT(shared_budget->settled, ElementsAre(dollars("0.0012"), dollars("0.0021")));
  EXPECT_EQ(shared_budget->has(), dollars("0.9967"));
}

TEST(SharedBudget, AnEmptyOneEndsTheQuestionWithItsOwnWords) {
  TestServices services;
  services.rates = rates();
  auto request = services.request({say("never asked")});
  request.shared_budget = std::make_shared<TestBudget>(Money{});
  const auto events = services.events(services.start(request));
  EXPECT_EQ(events.back().type, "error");
  EXPECT_EQ(events.back().json["tag"], "BudgetError");
  EXPECT_TRUE(services.model_requests().empty());
}

TEST(SharedBudget, OneThatRunsEmptyLeavesWhatWasSaid) {
  TestServices services;
  services.rates = rates();
  auto request = services.request({step(400'000, 40'000, true, "so far"), say("never asked")});
  request.shared_budget = std::make_shared<TestBudget>(dollars("0.4801"));
  const auto events = services.events(services.start(request));
  EXPECT_EQ(events.back().type, "done");
  EXPECT_EQ(events.back().json["finishReason"], "maxCost");
  EXPECT_EQ(events.back().json["text"], "so far");
}

TEST(SharedBudget, ACallWritesNoMoreThanWhatWasPutAsideForIt) {
  TestServices services;
  services.rates = rates();
  auto request = services.request({step(100, 10, false, "short")});
  request.shared_budget = std::make_shared<TestBudget>(dollars("0.003"));
  services.events(services.start(request));
  const Json asked = *parse_json(services.model_requests().at(0));
  const std::int64_t most = asked["maxOutputTokens"];
  EXPECT_GE(most, kLeastAnswer);
  EXPECT_LE(most, 1500);
}

TEST(SharedBudget, WhatCostsNothingTakesNothing) {
  TestServices services;
  auto request = services.request({say("free")});
  request.models[0].local = true;
  const auto shared_budget = std::make_shared<TestBudget>(Money{});
  request.shared_budget = shared_budget;
  EXPECT_EQ(services.events(services.start(request)).back().type, "done");
  EXPECT_EQ(shared_budget->calls, 0);
}

TEST(SharedBudget, AWithdrawnTokenEndsItsQuestionWithAnError) {
  TestServices services;
  std::promise<void> asked;
  auto question = services.start(
      services.request({[&](const std::string&, std::stop_token stop, StepSink& sink) {
        sink.text("begun");
        asked.set_value();
        std::promise<void> stopped;
        const std::stop_callback heard(stop, [&] { stopped.set_value(); });
        stopped.get_future().wait();
      }}));
  asked.get_future().wait();
  question->stop(StopReason::kWithdrawn);
  const auto events = services.events(question);
  EXPECT_EQ(events.back().type, "error");
  EXPECT_EQ(events.back().json["tag"], "AuthenticationError");
}

}  // namespace
}  // namespace quarry::ask
