#include "plugins/adapters.h"
#include "plugins/testing/scripted.h"

#include <quarry/pricing.h>

#include <functional>

#include <gmock/gmock.h>

namespace quarry::plugins {
namespace {

using ::testing::HasSubstr;

struct PricingScript {
  std::function<void(const quarry_reply*)> rates;
  std::function<void(const quarry_call*, const quarry_reply*)> refresh;
};

constexpr quarry_pricing_v1 kPricingTable{
    .struct_size = sizeof(quarry_pricing_v1),
    .rates = [](void* self, const quarry_call*, quarry_text, quarry_text,
                const quarry_reply* reply) { static_cast<PricingScript*>(self)->rates(reply); },
    .refresh =
        [](void* self, const quarry_call* call, const quarry_reply* reply) {
          static_cast<PricingScript*>(self)->refresh(call, reply);
        }};

class Pricing : public ::testing::Test {
 protected:
  Result<std::optional<ModelRates>> rates(std::function<void(const quarry_reply*)> answer) {
    script_.rates = std::move(answer);
    return catalogue()->rates("openai", "gpt-x");
  }
  Result<std::optional<ModelRates>> rates(std::string json) {
    return rates([json = std::move(json)](auto* reply) { say(reply, json); });
  }
  std::shared_ptr<PricingCatalogue> catalogue(const quarry_pricing_v1* table = &kPricingTable) {
    component_ = scripted_component(QUARRY_PRICING, table);
    return adapt_pricing(*make_instance(component_, &script_)).value();
  }

  PricingScript script_;
  quarry_component component_{};
};

TEST_F(Pricing, RatesAreExactDecimals) {
  const auto found = rates(R"({"source":"s","date":"2026-11-01","input":"0.25","output":"1.25",
                               "cacheRead":"0","tiers":[{"above":200000,"input":"0.5"},
                                                        {"above":1000,"input":"0.3"}]})");
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->source, "s");
  EXPECT_EQ((*found)->rates.input, parse_money("0.25").value());
  EXPECT_EQ((*found)->rates.cache_read, parse_money("0").value());
  EXPECT_FALSE((*found)->rates.reasoning) << "not known is not zero";
  ASSERT_EQ((*found)->tiers.size(), 2u);
  EXPECT_EQ((*found)->tiers.front().above, 1000);
}

TEST_F(Pricing, AnUnknownModelIsNothing) {
  const auto found = rates("null");
  ASSERT_TRUE(found);
  EXPECT_FALSE(*found);
}

TEST_F(Pricing, WrongAnswersNameThePlugin) {
  EXPECT_THAT(fault(rates(R"({"input":"cheap"})")), HasSubstr("rate \"input\" is no price"));
  EXPECT_THAT(fault(rates(R"({"tiers":[7]})")), HasSubstr("/tiers/0 must be of type object"));
  EXPECT_THAT(fault(rates(R"({"tiers":[{"above":1,"input":"x"}]})")), HasSubstr("no price"));
  EXPECT_THAT(fault(rates("{oops")), HasSubstr("reply is not"));
  EXPECT_THAT(fault(rates("[]")), HasSubstr("it must be of type object or null"));
  EXPECT_THAT(fault(rates([](auto*) {})), HasSubstr("without an outcome"));
  EXPECT_THAT(fault(rates([](auto* reply) {
                say(reply, "{}");
                say(reply, "{}");
              })),
              HasSubstr("more than one outcome"));
}

TEST_F(Pricing, RefreshSaysWhetherPricesChangedAndWhenToComeAgain) {
  script_.refresh = [](auto* call, auto* reply) {
    EXPECT_EQ(call->state(call), QUARRY_OK);
    say(reply, R"({"changed":true})");
  };
  EXPECT_TRUE(catalogue()->refresh({})->changed);
  EXPECT_FALSE(catalogue()->refresh({})->next);
  for (const auto& [said, meant] :
       std::map<std::string, std::int64_t>{{"5000", 5000}, {"0", 0}, {"-7", 0}}) {
    script_.refresh = [&](auto*, auto* reply) { say(reply, R"({"nextMs":)" + said + "}"); };
    const auto done = catalogue()->refresh({});
    ASSERT_TRUE(done);
    EXPECT_FALSE(done->changed);
    EXPECT_EQ(done->next.value_or(std::chrono::milliseconds(0)).count(), meant) << said;
  }
  for (const char* wrong : {"1e300", "\"1\""}) {
    script_.refresh = [&](auto*, auto* reply) {
      say(reply, R"({"nextMs":)" + std::string(wrong) + "}");
    };
    EXPECT_THAT(fault(catalogue()->refresh({})), HasSubstr("/nextMs must be of type integer"));
  }
  script_.refresh = [](auto*, auto* reply) { say_failure(reply, QUARRY_UNAVAILABLE, "offline"); };
  const auto failed = catalogue()->refresh({});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "offline");
}

TEST_F(Pricing, ACatalogueThatCannotBeRefreshedIsNotAsked) {
  auto older = kPricingTable;
  older.struct_size = offsetof(quarry_pricing_v1, refresh);
  EXPECT_FALSE(catalogue(&older)->refresh({})->next);
  auto fixed = kPricingTable;
  fixed.refresh = nullptr;
  EXPECT_FALSE(catalogue(&fixed)->refresh({})->next);
}

}  // namespace
}  // namespace quarry::plugins
