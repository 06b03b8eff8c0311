#include "mcp_server/json.h"

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry::mcp {
namespace {

TEST(McpJson, IsReadWhole) {
  const auto read = parse_json(R"({"a":[1,-2,0.5,"x",null,true,{"b":[]}],"c":{}})");
  ASSERT_TRUE(read);
  EXPECT_EQ(dump(*read.value), R"({"a":[1,-2,0.5,"x",null,true,{"b":[]}],"c":{}})");
}

TEST(McpJson, SaysWhereItStops) {
  const auto read = parse_json(R"({"a" 1})");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.problem.position, 6U);
  EXPECT_NE(read.problem.message.find("syntax error"), std::string::npos);
}

TEST(McpJson, RefusesWhatTwoReadersCouldReadDifferently) {
  for (const std::string text :
       {R"({"a":1,"a":2})", R"({"x":{"k":1,"b":0,"k":1}})", R"([{"a":1,"\u0061":2}])",
        "{\"a\":\"\xff\"}", "\"\xed\xa0\x80\"", "1e999", "-1e999", "{\"a\":1}x", "", " ", "{'a':1}",
        "[1,]", "NaN", "\xef\xbb\xbf\xef\xbb\xbf{}", "\"a\nb\"", "01"}) {
    EXPECT_FALSE(parse_json(text)) << text;
  }
  EXPECT_FALSE(parse_json(std::string("{}\0", 3)));
  EXPECT_FALSE(parse_json(std::string("\"a\0b\"", 5)));
}

// JSON.stringify of JavaScript writes what is left of a character that was cut in two.
TEST(McpJson, ReadsHalfASurrogatePairAsReplacement) {
  for (const char* text :
       {R"({"a":"x\ud83d"})", R"({"a":"x\uDCC5"})", R"({"a":"x\ud83D","b":"\\"})"}) {
    const auto read = parse_json(text);
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(find_string(*read.value, "a"), "x\xEF\xBF\xBD") << text;
  }
  EXPECT_FALSE(parse_json(R"({"a":"\ud83d")"));
}

TEST(McpJson, AcceptsNestingUpToALimit) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(parse_json(nested(64)));
  EXPECT_FALSE(parse_json(nested(65)));
  EXPECT_FALSE(parse_json(std::string(1'000'000, '[')));
  std::string objects;
  for (int i = 0; i < 65; ++i) objects += "{\"a\":";
  EXPECT_FALSE(parse_json(objects));
}

TEST(McpJson, TheSameKeyInDifferentObjectsIsFine) {
  EXPECT_TRUE(parse_json(R"([{"a":{"a":1}},{"a":2}])"));
}

TEST(McpJson, WritesWhatIsNoTextAsReplacement) {
  EXPECT_EQ(json_string("a\xff\"\n"), "\"a\xef\xbf\xbd\\\"\\n\"");
}

}  // namespace
}  // namespace quarry::mcp
