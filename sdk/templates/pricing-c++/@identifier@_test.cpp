#include "schema.json.h"

#include <quarry/json.hpp>
#include <quarry/pricing.h>
#include <quarry/testing.hpp>

namespace {

using Catalogue = quarry::testing::Component<quarry_pricing_v1>;

constexpr const char* kTable = R"({"models": {
  "lines/tiny": {"input": "0.25", "output": "1.25"},
  "a/b/c": {"input": "0", "output": "0"}}})";

class @Name@Test : public testing::Test {
 protected:
  /// The reply for a model of a catalogue with this configuration.
  static std::string rates(const char* configuration, std::string_view provider,
                           std::string_view model) {
    const Catalogue catalogue{quarry_plugin_entry_v1, QUARRY_PRICING, "@name@", configuration};
    const quarry::testing::FakeCall call;
    quarry::testing::Reply reply;
    catalogue->rates(catalogue.instance(), call.get(), quarry::as_text(provider),
                     quarry::as_text(model), reply.get());
    return reply.value();
  }
};

TEST_F(@Name@Test, AModelHasTheRatesOfItsRow) {
  const std::string tiny = rates(kTable, "lines", "tiny");
  EXPECT_EQ(quarry::json::string(tiny, "source"), "@name@");
  EXPECT_EQ(quarry::json::string(tiny, "input"), "0.25");
  EXPECT_EQ(quarry::json::string(tiny, "output"), "1.25");
  EXPECT_EQ(quarry::json::string(rates(kTable, "a", "b/c"), "input"), "0");
}

TEST_F(@Name@Test, OtherModelsAreUnknown) {
  EXPECT_EQ(rates(kTable, "lines", "tin"), "null");
  EXPECT_EQ(rates(kTable, "other", "tiny"), "null");
}

TEST_F(@Name@Test, WithoutATableEveryModelIsUnknown) {
  EXPECT_EQ(rates("{}", "lines", "tiny"), "null");
}

TEST_F(@Name@Test, TheSchemaRequiresBothRates) {
  const std::string_view schema = SCHEMA_JSON;
  EXPECT_NE(schema.find(R"("required": ["input", "output"])"), std::string_view::npos);
}

}  // namespace
