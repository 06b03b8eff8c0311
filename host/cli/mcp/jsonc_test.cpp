#include "cli/mcp/jsonc.h"

#include <gmock/gmock.h>

namespace quarry::cli {
namespace {

using ::testing::HasSubstr;

JsoncNode read(std::string_view text, JsonDialect dialect = JsonDialect::kWithComments) {
  auto node = parse_jsonc(text, dialect, "f.json");
  if (!node) ADD_FAILURE() << node.error().message;
  return node ? *node : JsoncNode();
}

std::string wrong(std::string_view text, JsonDialect dialect = JsonDialect::kWithComments) {
  const auto node = parse_jsonc(text, dialect, "f.json");
  return node ? "" : node.error().message;
}

TEST(Jsonc, IsReadWithItsPlaces) {
  const std::string_view text = "// top\n{ \"a\": {\"b\": [1, \"x\"]}, /* c */ \"d\": true, }\n";
  const JsoncNode root = read(text);
  EXPECT_EQ(root.value, Json::parse(R"({"a": {"b": [1, "x"]}, "d": true})"));
  ASSERT_EQ(root.members.size(), 2u);
  EXPECT_EQ(text.substr(root.members[0].begin, 3), "\"a\"");
  const JsoncNode* list = root.member("a")->member("b");
  EXPECT_EQ(text.substr(list->begin, list->end - list->begin), "[1, \"x\"]");
  EXPECT_EQ(root.member("c"), nullptr);
  EXPECT_EQ(text[root.end - 1], '}');
}

TEST(Jsonc, MayBeEmpty) {
  for (const char* text : {"", " \n", "\xEF\xBB\xBF", "// nothing yet\n"}) {
    EXPECT_EQ(read(text).value, Json::object()) << text;
  }
  EXPECT_EQ(read("\xEF\xBB\xBF{\"a\": 1}").value["a"], 1);
}

TEST(Jsonc, UnderstandsWhatStandsInStrings) {
  EXPECT_EQ(read(R"({"u": "http://x/*y*/", "q": "\"}\\"})").value,
            Json::parse(R"({"u": "http://x/*y*/", "q": "\"}\\"})"));
}

TEST(Jsonc, ThatIsStrictHasNoCommentsAndNoCommaAtTheEnd) {
  EXPECT_THAT(wrong("{\n // x\n}", JsonDialect::kStrict), HasSubstr("f.json:2:2: not valid JSON"));
  EXPECT_THAT(wrong("{\"a\": 1,\n}", JsonDialect::kStrict), HasSubstr("f.json:2:1"));
  EXPECT_EQ(read("{\"a\": [1, {}]}", JsonDialect::kStrict).value["a"][0], 1);
}

TEST(Jsonc, ThatIsNoneIsToldWithItsPlace) {
  EXPECT_THAT(wrong("{\"a\" 1}"), HasSubstr("f.json:1:6: not valid JSON: a colon is missing"));
  EXPECT_THAT(wrong("{\"ü\": x}"), HasSubstr("f.json:1:7: not valid JSON: no value"));
  EXPECT_THAT(wrong("{\n  \"a\": 1\n  \"b\": 2\n}"), HasSubstr("f.json:3:3"));
  EXPECT_THAT(wrong("{\"a\": 1, \"a\": 2}"),
              HasSubstr("f.json:1:10: not valid JSON: \"a\" appears"));
  EXPECT_THAT(wrong("{} {}"), HasSubstr("1:4"));
  EXPECT_THAT(wrong("{\"a\": }"), HasSubstr("a value is missing"));
  EXPECT_THAT(wrong("{a: 1}"), HasSubstr("a name in quotes"));
  for (const char* text : {"{", "[1", "{\"a", "{\"a\": \"x\n\"}", "/* x", "{ / }", "{\"a\": 1,,}",
                           "[,]", "{,}", "nul", "{\"a\": \"\\x\"}", "{\"a\":1]", "\"\\"}) {
    EXPECT_NE(wrong(text), "") << text;
  }
  EXPECT_THAT(wrong(std::string(1000, '[')), HasSubstr("too deep"));
}

}  // namespace
}  // namespace quarry::cli
