#include "ask/purse.h"

#include "ask/allowance.h"
#include "ask/testing.h"

#include <future>

#include <gmock/gmock.h>

namespace quarry::ask {
namespace {

using testing::call_tools;
using ::testing::ElementsAre;
using testing::say;
using testing::TestHouse;

Money dollars(std::string_view text) {
  return parse_money(text).value();
}

/// Has so much, and remembers what was asked of it.
class TestPurse final : public Purse {
 public:
  explicit TestPurse(Money has) : has_(has) {}
  bool is_limited() const override { return true; }
  Result<Kept> keep(Money least, Money most) override {
    const std::lock_guard lock(mutex_);
    const Money amount = std::min(most, has_);
    if (amount < least) {
      return Error{Code::kResourceExhausted, "the day's money is used up"}.tagged("BudgetError");
    }
    has_.nanos -= amount.nanos;
    return Kept{std::to_string(++calls), amount};
  }
  void settle(const Kept& kept, Money spent) override {
    const std::lock_guard lock(mutex_);
    has_.nanos += kept.amount.nanos - spent.nanos;
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

TEST(Purse, EachCallIsPutAsideAndSettledByWhatItCost) {
  TestHouse house;
  house.rates = rates();
  auto request = house.request({step(1000, 100, true, ""), step(2000, 50, false, "done")});
  const auto purse = std::make_shared<TestPurse>(dollars("1"));
  request.purse = purse;
  const auto events = house.events(house.start(request));
  EXPECT_EQ(events.back().json["finishReason"], "stop");
  EXPECT_THAT(purse->settled, ElementsAre(dollars("0.0012"), dollars("0.0021")));
  EXPECT_EQ(purse->has(), dollars("0.9967"));
}

TEST(Purse, AnEmptyOneEndsTheQuestionWithItsOwnWords) {
  TestHouse house;
  house.rates = rates();
  auto request = house.request({say("never asked")});
  request.purse = std::make_shared<TestPurse>(Money{});
  const auto events = house.events(house.start(request));
  EXPECT_EQ(events.back().type, "error");
  EXPECT_EQ(events.back().json["tag"], "BudgetError");
  EXPECT_TRUE(house.model_requests().empty());
}

TEST(Purse, OneThatRunsEmptyLeavesWhatWasSaid) {
  TestHouse house;
  house.rates = rates();
  auto request = house.request({step(400'000, 40'000, true, "so far"), say("never asked")});
  request.purse = std::make_shared<TestPurse>(dollars("0.4801"));
  const auto events = house.events(house.start(request));
  EXPECT_EQ(events.back().type, "done");
  EXPECT_EQ(events.back().json["finishReason"], "maxCost");
  EXPECT_EQ(events.back().json["text"], "so far");
}

TEST(Purse, ACallWritesNoMoreThanWhatWasPutAsideForIt) {
  TestHouse house;
  house.rates = rates();
  auto request = house.request({step(100, 10, false, "short")});
  request.purse = std::make_shared<TestPurse>(dollars("0.003"));
  house.events(house.start(request));
  const Json asked = *parse_json(house.model_requests().at(0));
  const std::int64_t most = asked["maxOutputTokens"];
  EXPECT_GE(most, kLeastAnswer);
  EXPECT_LE(most, 1500);
}

TEST(Purse, WhatCostsNothingTakesNothing) {
  TestHouse house;
  auto request = house.request({say("free")});
  request.models[0].local = true;
  const auto purse = std::make_shared<TestPurse>(Money{});
  request.purse = purse;
  EXPECT_EQ(house.events(house.start(request)).back().type, "done");
  EXPECT_EQ(purse->calls, 0);
}

TEST(Purse, AWithdrawnTokenEndsItsQuestionWithAnError) {
  TestHouse house;
  std::promise<void> asked;
  auto question =
      house.start(house.request({[&](const std::string&, std::stop_token stop, StepSink& sink) {
        sink.text("begun");
        asked.set_value();
        std::promise<void> stopped;
        const std::stop_callback heard(stop, [&] { stopped.set_value(); });
        stopped.get_future().wait();
      }}));
  asked.get_future().wait();
  question->stop(StopReason::kWithdrawn);
  const auto events = house.events(question);
  EXPECT_EQ(events.back().type, "error");
  EXPECT_EQ(events.back().json["tag"], "AuthenticationError");
}

}  // namespace
}  // namespace quarry::ask
