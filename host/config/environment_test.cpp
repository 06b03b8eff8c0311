#include "config/environment.h"

#include "config/trust_rules.h"

#include <algorithm>
#include <cctype>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace quarry::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

TEST(Environment, SetsAKeyOfEveryTableAndEveryTopLevelKey) {
  for (const auto& [name, rule] : whole_schema()["properties"].items()) {
    const std::string variable = "QUARRY_" + upper(name);
    if (rule["type"] != "object") {
      EXPECT_EQ(key_of_variable(variable).value(), name);
      continue;
    }
    const Json inner = rule.value("properties", Json::object());
    for (const auto& [key, value] : inner.items()) {
      EXPECT_EQ(key_of_variable(variable + "_" + upper(key)).value(), name + "." + key);
    }
  }
}

TEST(Environment, SetsOptionsThatBelongToAProvider) {
  EXPECT_EQ(key_of_variable("QUARRY_MODEL_BASE_URL").value(), "model.base_url");
  EXPECT_EQ(key_of_variable("QUARRY_STORE_CONNECTIONS").value(), "store.connections");
}

TEST(Environment, OfAnotherNameSetsNothing) {
  for (const char* variable : {"QUARRY_TOKEN", "QUARRY_CACHE_DIR", "QUARRY_MODEL",
                               "QUARRY_MODELX_A", "MODEL_NAME", "QUARRY_", "QUARRY_DOCS_TOKEN"}) {
    EXPECT_EQ(key_of_variable(variable).value(), "") << variable;
  }
}

TEST(Environment, CannotSetAKeyInsideATableOfTables) {
  for (const char* variable : {"QUARRY_TRANSPORT_REST_LISTEN", "QUARRY_RESOURCE_TYPE_GIT_SSH",
                               "QUARRY_PRICING_STATIC_X", "QUARRY_RESOURCE_NAME"}) {
    const auto key = key_of_variable(variable);
    ASSERT_FALSE(key) << variable;
    EXPECT_THAT(key.error().message, HasSubstr("inside a table"));
    EXPECT_THAT(key.error().hint, HasSubstr("Use a file"));
  }
  EXPECT_THAT(key_of_variable("QUARRY_RESOURCE_TYPE_GIT_SSH").error().hint,
              HasSubstr("--set resource_type."));
  EXPECT_THAT(key_of_variable("QUARRY_RESOURCE_NAME").error().hint, Not(HasSubstr("--set")));
}

TEST(Environment, VariablesThatAReferenceNamesAreSecrets) {
  const Json configuration{{"store", {{"url", {{"env", "QUARRY_STORE_URL"}}}}},
                           {"resource", {{{"token", {{"env", "A"}}}}, {{"env", 7}}}},
                           {"model", {{"env", "no reference"}, {"name", "m"}}}};
  EXPECT_THAT(referenced_variables(configuration), ElementsAre("A", "QUARRY_STORE_URL"));
}

}  // namespace
}  // namespace quarry::config
