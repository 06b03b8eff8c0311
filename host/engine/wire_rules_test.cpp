#include "engine/wire_rules.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::engine {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> refused_options(const std::string& options) {
  const Status status = check_from_wire(
      "models.select", R"({"provider":"p","model":"m","providerOptions":)" + options + "}");
  std::vector<std::string> fields;
  if (status) return fields;
  EXPECT_EQ(status.error().code, Code::kPermissionDenied);
  EXPECT_EQ(status.error().tag, "ProviderOptionsError");
  EXPECT_FALSE(status.error().hint.empty());
  for (const FieldError& one : status.error().details) fields.push_back(one.field);
  return fields;
}

TEST(WireRules, NoSecretIsNamedFromTheWire) {
  for (const char* reference : {R"({"command":["sh","-c","id"]})", R"({"file":"/etc/shadow"})",
                                R"({"env":"HOME"})", R"([{"env":"HOME"}])", R"([[{"a":1}]])"}) {
    EXPECT_THAT(refused_options(R"({"api_key":)" + std::string(reference) + "}"),
                ElementsAre("/providerOptions/api_key"))
        << reference;
  }
}

TEST(WireRules, NoAddressIsSetFromTheWire) {
  EXPECT_THAT(refused_options(R"({"base_url":"http://127.0.0.1:1/v1"})"),
              ElementsAre("/providerOptions/base_url"));
  EXPECT_THAT(refused_options(R"({"a":["x","https://b.example"],"b/c":"ftp://d"})"),
              ElementsAre("/providerOptions/a", "/providerOptions/b~1c"));
}

TEST(WireRules, OtherOptionsAndMethodsPass) {
  EXPECT_THAT(
      refused_options(R"({"temperature":1,"reasoning":"high","stop":["a"],"base_url":null})"),
      ElementsAre());
  EXPECT_THAT(refused_options("null"), ElementsAre());
  EXPECT_TRUE(check_from_wire("models.select", R"({"provider":"p","model":"m"})"));
  EXPECT_TRUE(check_from_wire("models.select", "no json"));
  EXPECT_TRUE(check_from_wire("models.select", "[]"));
  EXPECT_TRUE(check_from_wire("resources.add", R"({"providerOptions":{"a":{"env":"b"}}})"));
}

}  // namespace
}  // namespace quarry::engine
