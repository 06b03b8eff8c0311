#include "plugins/read_value.h"

#include "base/schema.h"

#include <quarry/limits.h>

#include <string>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace quarry::plugins {
namespace {

using ::testing::HasSubstr;

std::string refusal(const ValueText& value, std::string reply) {
  const auto read = read_value(value, std::move(reply));
  return read ? "no failure" : read.error().message;
}

TEST(ReadValue, MembersThatTheSchemaDoesNotNameAreIgnored) {
  const auto version = read_value(kResourceVersion, std::string(R"({"id":"1","etag":7})"));
  ASSERT_TRUE(version);
  EXPECT_EQ(*version, (Json{{"id", "1"}, {"etag", 7}}));
}

TEST(ReadValue, AMistakeNamesTheSchemaAndTheMember) {
  const auto metadata = read_value(kResourceMetadata, std::string(R"({"notes":["a",5]})"));
  ASSERT_FALSE(metadata);
  EXPECT_EQ(metadata.error().code, Code::kInternal);
  EXPECT_EQ(metadata.error().message,
            "the plugin's reply does not follow the schema resource.metadata: /notes/1 must be of "
            "type string, not number");
}

TEST(ReadValue, AMistakeOfTheWholeValueHasNoPointer) {
  EXPECT_THAT(refusal(kPricingRates, "[]"),
              HasSubstr("pricing.rates: it must be of type object or null, not array"));
}

TEST(ReadValue, AnIntegerThatWouldWrapIsRefusedByName) {
  EXPECT_THAT(
      refusal(kModelModels, R"({"models":[{"id":"a","contextTokens":9223372036854775808}]})"),
      HasSubstr("/models/0/contextTokens must be of type integer"));
}

TEST(ReadValue, AValueOfTheMostLevelsIsRead) {
  const auto state = [](std::size_t levels) {
    return R"({"state":)" + std::string(levels, '[') + std::string(levels, ']') + '}';
  };
  EXPECT_TRUE(read_value(kResourceMetadata, state(QUARRY_LIMIT_JSON_LEVELS - 1)));
  EXPECT_THAT(refusal(kResourceMetadata, state(QUARRY_LIMIT_JSON_LEVELS)),
              HasSubstr("nested deeper"));
}

TEST(ReadValue, TextThatIsNotJsonIsAFault) {
  EXPECT_THAT(refusal(kModelModels, "{oops"), HasSubstr("the plugin's reply is not JSON"));
}

TEST(ReadValue, AFailureStaysAsItIs) {
  const auto failed = read_value(kModelModels, Error(Code::kUnavailable, "offline", "try later"));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Code::kUnavailable);
  EXPECT_EQ(failed.error().message, "offline");
}

TEST(ReadValue, TheHostsOwnValuesFollowTheirSchemas) {
  const auto last = compiled_schema(kResourceLast.schema);
  EXPECT_TRUE(
      last.check({{"version", {{"id", "1"}}}, {"state", 5}}, Schema::Unknown::kRefuse).empty());
  EXPECT_FALSE(last.check({{"version", "1"}}, Schema::Unknown::kRefuse).empty());
}

}  // namespace
}  // namespace quarry::plugins
