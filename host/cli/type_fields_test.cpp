#include "cli/type_fields.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Json schema_with(const char* members) {
  return {{"type", "object"}, {"required", {"place"}}, {"properties", *parse_json(members)}};
}

std::vector<std::string> names_in(const std::vector<Option>& options) {
  std::vector<std::string> out;
  for (const Option& option : options) out.push_back(option.names);
  return out;
}

TEST(TypeFields, AreOptionsByTheirTypes) {
  TypeFields fields(schema_with(R"({
    "backAgain": {"type": ["boolean", "null"]}, "distance": {"type": "integer"},
    "place": {"type": "string"}, "trails": {"type": ["array", "null"]}, "max_age": {}})"),
                    {});
  const auto options = fields.options();
  EXPECT_THAT(names_in(options), ElementsAre("--place", "--back-again,!--no-back-again",
                                             "--distance", "--max-age", "--trails"));
  EXPECT_TRUE(fields.empty());
  EXPECT_EQ(*fields.given(), Json::object());
  *std::get<std::optional<std::string>*>(options[0].target) = "true";
  *std::get<std::optional<bool>*>(options[1].target) = false;
  *std::get<std::optional<std::string>*>(options[2].target) = "7";
  *std::get<std::vector<std::string>*>(options[4].target) = {"north", "south"};
  EXPECT_EQ(*fields.given(), *parse_json(R"({"backAgain": false, "distance": 7, "place": "true",
                            "trails": ["north", "south"]})"));
  EXPECT_FALSE(fields.empty());
}

/// Fields with the option --guides, a list of tables, and --signs, a table.
class TablesAsOptions : public ::testing::Test {
 protected:
  void give(std::vector<std::string> guides, std::optional<std::string> signs = {}) {
    *std::get<std::vector<std::string>*>(options_[0].target) = std::move(guides);
    *std::get<std::optional<std::string>*>(options_[1].target) = std::move(signs);
  }
  void expect_refused(const std::string& flag, const std::string& form) {
    const auto given = fields_.given();
    ASSERT_FALSE(given) << *given;
    EXPECT_EQ(given.error().code, Code::kInvalidArgument);
    EXPECT_EQ(given.error().message, flag + ": is not a JSON object" + form);
    EXPECT_THAT(given.error().hint, HasSubstr(flag + " '{"));
  }

  TypeFields fields_{schema_with(R"({
    "guides": {"type": ["array", "null"], "items": {"type": "object"}},
    "signs": {"type": ["object", "null"]}})"),
                     {}};
  std::vector<Option> options_ = fields_.options();
};

TEST_F(TablesAsOptions, AreJson) {
  ASSERT_THAT(names_in(options_), ElementsAre("--guides", "--signs"));
  for (const Option& option : options_) EXPECT_STREQ(option.argument, "JSON");
  give({R"({"name": "a"})", R"([{"name": "b"}, {"name": "c"}])", "[]"}, R"({"left": {"x": 1}})");
  EXPECT_EQ(to_text(*fields_.given()),
            R"({"guides":[{"name":"a"},{"name":"b"},{"name":"c"}],"signs":{"left":{"x":1}}})");
  give({"[]"}, "{}");
  EXPECT_EQ(to_text(*fields_.given()), R"({"guides":[],"signs":{}})");
}

TEST_F(TablesAsOptions, AreRefusedByTheirNameWhenTheyAreNoJson) {
  for (const char* text :
       {"", "left", "[]", "3", "null", R"({"a": )", R"("{}")", R"([{"a": 1}])"}) {
    give({}, text);
    expect_refused("--signs", "");
  }
  for (const char* text : {"", "a", "3", "null", R"(["a"])", R"([{}, 3])", "[{}", "[[{}]]"}) {
    give({R"({"name": "a"})", text});
    expect_refused("--guides", " or an array of objects");
  }
}

TEST(TypeFields, AreExplainedByTheirSchema) {
  TypeFields fields(schema_with(R"({
    "place": {"type": "string", "description": "A place of [walks](walks.md) in `code`."},
    "season": {"enum": ["autumn", "winter", null], "default": "autumn", "description": "When."},
    "forged": {"description": "a\u001b[31m\nOptions:"}, "bare": {"type": "string"},
    "words": {"defaultDescription": "`x`, else y"}})"),
                    {});
  const auto options = fields.options();
  const auto help = [&](std::string_view name) {
    return std::ranges::find(options, name, &Option::names)->help;
  };
  EXPECT_EQ(help("--place"), "A place of walks in code; required");
  EXPECT_EQ(help("--season"), "When; default: \"autumn\"");
  EXPECT_EQ(help("--forged"), "a\\u{1b}[31m\\nOptions:");
  EXPECT_EQ(help("--bare"), "");
  EXPECT_EQ(help("--words"), "default: x, else y");
  const auto season = std::ranges::find(options, "--season", &Option::names);
  EXPECT_THAT(season->rules.one_of, ElementsAre("autumn", "winter"));
}

TEST(TypeFields, WithoutAnOptionAreNamed) {
  TypeFields fields(schema_with(R"({
    "place": {"type": "string"}, "json": {"type": "boolean"}, "no-place": {}, "place_": {},
    "a b": {"type": "string"}, "-x": {}, "": {},
    "searchPath": {}, "search_path": {}, "odd": true, "guideKey": {"writeOnly": true},
    "name": {"type": "string"}, "refresh": {"type": "string"}})"),
                    {"--json"});
  EXPECT_THAT(names_in(fields.options()),
              ElementsAre("--place", "--no-place", "--place-", "--search-path"));
  EXPECT_EQ(fields.notes(),
            "Set in the configuration file only: guideKey\n"
            "Set with --field: , -x, a b, json, odd, search_path\n");
}

TEST(TypeFields, AFlagWhoseOppositeIsTakenIsNoOption) {
  TypeFields fields(schema_with(R"({"a": {"type": "boolean"}})"), {"--no-a"});
  EXPECT_TRUE(fields.options().empty());
}

TEST(TypeFields, NeedASchemaOfAnObject) {
  for (const char* schema : {"null", "[]", "3", "{}", R"({"properties": {}})",
                             R"({"properties": ["a"]})", R"({"properties": 3, "required": 3})"}) {
    EXPECT_TRUE(TypeFields(*parse_json(schema), {}).options().empty()) << schema;
  }
}

TEST(TypeFields, OfASchemaThatIsNoneAreTexts) {
  TypeFields fields(*parse_json(R"({"required": "a", "properties": {
    "a": {"description": 5, "defaultDescription": {}, "type": 7, "enum": 7, "writeOnly": "x"},
    "b": {"type": [3, null, "array"], "items": 7}}})"),
                    {});
  const auto options = fields.options();
  ASSERT_THAT(names_in(options), ElementsAre("--a", "--b"));
  EXPECT_EQ(options[0].help, "required");
  *std::get<std::vector<std::string>*>(options[1].target) = {"x"};
  EXPECT_EQ(*fields.given(), *parse_json(R"({"b": ["x"]})"));
}

TEST(FieldValue, IsJsonWhereTheRuleAllowsNoText) {
  const auto value = [](const char* rule, const char* text) {
    return to_text(field_value(*parse_json(rule), text));
  };
  EXPECT_EQ(value(R"({"type": "string"})", "true"), "\"true\"");
  EXPECT_EQ(value(R"({"type": ["string", "integer"]})", "7"), "\"7\"");
  EXPECT_EQ(value(R"({"type": ["integer", "null"]})", "7"), "7");
  EXPECT_EQ(value(R"({"type": "integer"})", "far"), "\"far\"") << "the engine names the field";
  EXPECT_EQ(value(R"({"type": "array"})", "[\"a\"]"), "[\"a\"]");
  EXPECT_EQ(value(R"({"type": "object"})", R"({"a": 1})"), R"({"a":1})");
  for (const char* unknown : {"null", "{}", R"({"enum": ["a"]})"}) {
    EXPECT_EQ(value(unknown, "true"), "true");
    EXPECT_EQ(value(unknown, "[1]"), "[1]");
    EXPECT_EQ(value(unknown, "[1"), "\"[1\"");
    EXPECT_EQ(value(unknown, "7"), "\"7\"");
  }
}

}  // namespace
}  // namespace quarry::cli
