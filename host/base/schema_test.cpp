#include "base/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry {
namespace {

/// "field: message" lines of checking `value` against `schema`, both JSON text.
std::string mistakes(std::string_view schema, std::string_view value,
                     Schema::Unknown unknown = Schema::Unknown::kRefuse) {
  const auto found = mistakes_by(*parse_json(schema), *parse_json(value), unknown);
  if (!found) return "no schema: " + found.error().message;
  std::string out;
  for (const FieldError& mistake : *found) {
    out += mistake.field + ": " + mistake.message + "\n";
  }
  return out;
}

TEST(Schema, AcceptsWhatFits) {
  constexpr auto kSchema = R"({"type":"object","required":["a"],"properties":{
    "a":{"type":"string","minLength":1,"maxLength":3,"pattern":"^[a-z]+$"},
    "b":{"type":["array","null"],"items":{"type":"integer","minimum":1,"maximum":9},"maxItems":2},
    "c":{"const":"x"},"d":{"enum":[1,"two"]},"e":{"type":"number"},"f":{"type":"boolean"}}})";
  EXPECT_EQ(mistakes(kSchema, R"({"a":"abc","b":[1,9],"c":"x","d":"two","e":1.5,"f":true})"), "");
  EXPECT_EQ(mistakes(kSchema, R"({"a":"z","b":null})"), "");
}

TEST(Schema, OfThisProgramIsCompiledFromItsText) {
  const Schema schema = compiled_schema(R"({"type":"integer"})");
  EXPECT_TRUE(schema.check(Json(1), Schema::Unknown::kRefuse).empty());
  EXPECT_EQ(schema.check(Json("1"), Schema::Unknown::kRefuse).size(), 1u);
}

TEST(Schema, NamesEveryMistakeByPointer) {
  constexpr auto kSchema = R"({"type":"object","required":["a","z"],"properties":{
    "a":{"type":"string","maxLength":2},"b":{"type":"array","items":{"type":"integer"}}}})";
  EXPECT_EQ(mistakes(kSchema, R"({"a":"xyz","b":[1,"2",3.5]})"),
            "/z: is required\n"
            "/a: must have at most 2 characters, not 3\n"
            "/b/1: must be of type integer, not string\n"
            "/b/2: must be of type integer, not number\n");
}

TEST(Schema, AnIntegerHasNoFractionAndFitsInt64) {
  constexpr auto kSchema = R"({"properties":{"n":{"type":"integer"},"x":{"type":"number"}}})";
  EXPECT_EQ(mistakes(kSchema, R"({"n":9223372036854775807})"), "");
  EXPECT_EQ(mistakes(kSchema, R"({"n":-9223372036854775808})"), "");
  EXPECT_EQ(mistakes(kSchema, R"({"n":9223372036854775808})"),
            "/n: must be of type integer, not a number beyond 64 bits\n");
  EXPECT_EQ(mistakes(kSchema, R"({"n":99999999999999999999})"),
            "/n: must be of type integer, not number\n");
  EXPECT_EQ(mistakes(kSchema, R"({"n":1.0})"), "/n: must be of type integer, not number\n");
  EXPECT_EQ(mistakes(kSchema, R"({"n":1e2})"), "/n: must be of type integer, not number\n");
  EXPECT_EQ(mistakes(kSchema, R"({"x":18446744073709551615})"), "");
}

TEST(Schema, CountsCodePointsNotBytes) {
  EXPECT_EQ(mistakes(R"({"maxLength":2})", "\"\u20ac\u20ac\""), "");
  EXPECT_NE(mistakes(R"({"minLength":3})", "\"\u20ac\u20ac\""), "");
  EXPECT_EQ(mistakes(R"({"minLength":1})", "\"\""), ": must not be empty\n");
}

TEST(Schema, SuggestsTheNearestNameForAnUnknownMember) {
  constexpr auto kSchema = R"({"properties":{"branch":{},"searchPath":{}}})";
  EXPECT_EQ(mistakes(kSchema, R"({"brnach":1})"),
            "/brnach: is not known; did you mean \"branch\"?\n");
  EXPECT_EQ(mistakes(kSchema, R"({"q":1})"), "/q: is not known; known here: branch, searchPath\n");
  EXPECT_EQ(mistakes(kSchema, R"({"q":1})", Schema::Unknown::kIgnore), "");
  EXPECT_NE(mistakes(R"({"additionalProperties":false,"properties":{"a":{}}})", R"({"b":1})",
                     Schema::Unknown::kIgnore),
            "");
}

TEST(Schema, ChecksMembersOfAnOpenObject) {
  EXPECT_EQ(mistakes(R"({"additionalProperties":{"type":"string"}})", R"({"x/y":1,"z":"ok"})"),
            "/x~1y: must be of type string, not number\n");
}

TEST(Schema, UsesTheDescriptionOfAPattern) {
  EXPECT_EQ(mistakes(R"({"pattern":"^a","description":"must start with a"})", "\"b\""),
            ": must start with a\n");
}

TEST(Schema, PrefersTheMessageOfAPatternToItsDescription) {
  EXPECT_EQ(mistakes(R"({"pattern":"^a","description":"A name.",
                         "patternErrorMessage":"must start with a"})",
                     "\"b\""),
            ": must start with a\n");
}

TEST(Schema, ChecksTheNamesOfMembers) {
  constexpr auto kSchema = R"({"type":"object","additionalProperties":{},
    "propertyNames":{"pattern":"/","patternErrorMessage":"must have a slash"}})";
  EXPECT_EQ(mistakes(kSchema, R"({"a/b":1})"), "");
  EXPECT_EQ(mistakes(kSchema, R"({"a/b":1,"c":1})"), "/c: must have a slash\n");
}

TEST(Schema, ReportsTheOptionThatCameNearest) {
  constexpr auto kSchema = R"({"anyOf":[
    {"type":"string"},
    {"type":"object","properties":{"env":{"type":"string"}}}]})";
  EXPECT_EQ(mistakes(kSchema, R"("x")"), "");
  EXPECT_EQ(mistakes(kSchema, R"({"env":1})"), "/env: must be of type string, not number\n");
}

TEST(Schema, RefusesWhatIsNegated) {
  EXPECT_EQ(mistakes(R"({"not":{"pattern":"[.][.]"}})", R"("a..b")"), ": is not allowed\n");
  EXPECT_EQ(mistakes(R"({"not":{"pattern":"[.][.]"}})", R"("a.b")"), "");
}

TEST(Schema, RefusesWhatIsNoSchema) {
  EXPECT_THAT(mistakes("[]", "1"), ::testing::HasSubstr("must be an object"));
  EXPECT_THAT(mistakes(R"({"pattern":"("})", "1"), ::testing::HasSubstr("bad pattern"));
  EXPECT_THAT(mistakes(R"({"minLength":"x"})", "1"), ::testing::HasSubstr("not a usable schema"));
}

TEST(Schema, RefusesKeywordsThatItWouldNotCheck) {
  for (const char* keyword : {"$dynamicRef",
                              "$ref",
                              "allOf",
                              "contains",
                              "dependentRequired",
                              "dependentSchemas",
                              "else",
                              "exclusiveMaximum",
                              "exclusiveMinimum",
                              "if",
                              "maxContains",
                              "maxProperties",
                              "minContains",
                              "minProperties",
                              "multipleOf",
                              "oneOf",
                              "patternProperties",
                              "prefixItems",
                              "then",
                              "unevaluatedItems",
                              "unevaluatedProperties",
                              "uniqueItems"}) {
    const auto compiled = Schema::compile({{keyword, 1}});
    ASSERT_FALSE(compiled) << keyword;
    EXPECT_EQ(compiled.error().message, "not a usable schema: the keyword \"" +
                                            std::string(keyword) + "\" at /" + keyword +
                                            " is not supported");
    EXPECT_NE(compiled.error().hint, "");
  }
}

TEST(Schema, NamesThePlaceOfAKeywordThatItWouldNotCheck) {
  const std::pair<const char*, const char*> schemas[] = {
      {R"({"properties":{"a/b":{"oneOf":[]}}})", " at /properties/a~1b/oneOf "},
      {R"({"additionalProperties":{"oneOf":[]}})", " at /additionalProperties/oneOf "},
      {R"({"anyOf":[{},{"oneOf":[]}]})", " at /anyOf/1/oneOf "},
      {R"({"propertyNames":{"oneOf":[]}})", " at /propertyNames/oneOf "},
      {R"({"not":{"oneOf":[]}})", " at /not/oneOf "},
      {R"({"items":{"items":{"oneOf":[]}}})", " at /items/items/oneOf "}};
  for (const auto& [schema, place] : schemas) {
    EXPECT_THAT(mistakes(schema, "1"), ::testing::HasSubstr(place));
  }
}

TEST(Schema, IgnoresAnnotations) {
  EXPECT_EQ(mistakes(R"({"format":"uri","x-note":1,"$defs":{"a":{"oneOf":[]}},"title":"T",
                         "properties":{"oneOf":{}}})",
                     R"({"oneOf":"no uri"})"),
            "");
}

TEST(Schema, APatternIsNotAnchored) {
  EXPECT_EQ(mistakes(R"({"pattern":"b"})", R"("abc")"), "");
}

TEST(Schema, MakesOneErrorOfManyMistakes) {
  const Error error = invalid("the resource \"x\" is not valid", "ConfigError",
                              {{"/url", "is required"}, {"/branch", "must not be empty"}});
  EXPECT_EQ(error.message, "the resource \"x\" is not valid: \"url\" is required (and 1 more)");
  EXPECT_EQ(error.tag, "ConfigError");
  EXPECT_EQ(error.details.size(), 2u);
}

}  // namespace
}  // namespace quarry
