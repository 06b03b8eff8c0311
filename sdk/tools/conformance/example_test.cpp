#include "conformance/example.h"

#include "base/schema.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace quarry::conformance {
namespace {

/// The example of a schema, as text; "none" if there is none.
std::string example(std::string_view schema, bool defaults = true) {
  const auto value = example_of(*parse_json(schema), defaults, "/own");
  return value ? to_text(*value) : "none";
}

TEST(Example, HasTheRequiredMembersAndTheDefaults) {
  const std::string_view schema = R"({"type": "object", "required": ["a"], "properties": {
      "a": {"type": "integer", "minimum": 7}, "b": {"default": "x"}, "c": {"type": "string"}}})";
  EXPECT_EQ(example(schema), R"({"a":7,"b":"x"})");
  EXPECT_EQ(example(schema, false), R"({"a":7})");
}

TEST(Example, FollowsTheRulesOfEachType) {
  const auto of = [](std::string_view rules) {
    return example(R"({"type": "object", "required": ["a"], "properties": {"a": )" +
                   std::string(rules) + "}}");
  };
  EXPECT_EQ(of(R"({"type": "string", "pattern": "^/"})"), R"({"a":"/own/example"})");
  EXPECT_EQ(of(R"({"type": "string", "pattern": "^https?://"})"),
            R"({"a":"https://example.org/a"})");
  EXPECT_EQ(of(R"({"enum": ["z", "y"]})"), R"({"a":"z"})");
  EXPECT_EQ(of(R"({"const": 4})"), R"({"a":4})");
  EXPECT_EQ(of(R"({"examples": ["seen"], "type": "string"})"), R"({"a":"seen"})");
  EXPECT_EQ(of(R"({"type": "array", "minItems": 2, "items": {"type": "boolean"}})"),
            R"({"a":[false,false]})");
  EXPECT_EQ(of(R"({"type": "object", "required": ["b"], "properties": {"b": {"type": "null"}}})"),
            R"({"a":{"b":null}})");
  EXPECT_EQ(of(R"({"anyOf": [{"type": "string", "pattern": "^#$"}, {"const": 1}]})"), R"({"a":1})");
}

TEST(Example, IsMissingWhereNoValueFollowsTheSchema) {
  EXPECT_EQ(example(R"({"type": "object", "required": ["a"], "properties":
                       {"a": {"type": "string", "pattern": "^#[0-9]{9}$"}}})"),
            "none");
  EXPECT_EQ(example(R"({"type": "array"})"), "none");
  EXPECT_EQ(example("null"), "{}");
}

TEST(Example, TakesNoPortOfARunningHost) {
  EXPECT_EQ(
      example(R"({"type": "object", "properties": {"listen": {"default": "127.0.0.1:8080"}}})"),
      R"({"listen":"127.0.0.1:0"})");
}

TEST(Variations, DifferInOneMemberAndSayWhetherTheyFollowTheSchema) {
  const Json schema = *parse_json(R"({"type": "object", "additionalProperties": false,
      "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}})");
  const Json good{{"a", "x"}, {"b", 1}};
  const auto all = variations(schema, good, 1);
  for (const auto& each : all) {
    const auto mistakes = mistakes_by(schema, each.value, Schema::Unknown::kRefuse);
    EXPECT_EQ(each.follows_schema, mistakes && mistakes->empty()) << to_text(each.value);
    const char* const other = each.member == "a" ? "b" : "a";
    EXPECT_EQ(each.value[other], good[other]);
  }
  EXPECT_GT(std::ranges::count(all, true, &Variation::follows_schema), 4);
  EXPECT_GT(std::ranges::count(all, false, &Variation::follows_schema), 4);
}

TEST(Variations, DependOnTheSeed) {
  const Json schema = *parse_json(R"({"type": "object", "properties": {"a": {"type": "string"}}})");
  const auto text = [&](std::uint64_t seed) {
    std::string out;
    for (const auto& each : variations(schema, Json::object(), seed)) out += to_text(each.value);
    return out;
  };
  EXPECT_EQ(text(1), text(1));
  EXPECT_NE(text(1), text(2));
}

}  // namespace
}  // namespace quarry::conformance
