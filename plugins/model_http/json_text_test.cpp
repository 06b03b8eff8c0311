#include "model_http/json_text.h"

#include <string>

#include <gtest/gtest.h>

namespace quarry::model_http {
namespace {

std::string nested(int levels) {
  return std::string(static_cast<std::size_t>(levels), '[') +
         std::string(static_cast<std::size_t>(levels), ']');
}

TEST(JsonText, IsReadUnlessItIsNoneOrTooDeep) {
  EXPECT_EQ(read_json(R"({"a":[1]})")["a"][0], 1);
  EXPECT_TRUE(read_json("null").is_null());
  EXPECT_TRUE(read_json("").is_discarded());
  EXPECT_TRUE(read_json("{\"a\":").is_discarded());
  EXPECT_TRUE(read_json("\"\xC3\x28\"").is_string()) << "the half of a character";
  EXPECT_TRUE(read_json(nested(100)).is_array());
  EXPECT_TRUE(read_json(std::string(100, '[') + "1" + std::string(100, ']')).is_array());
  EXPECT_TRUE(read_json(nested(101)).is_discarded());
  EXPECT_TRUE(read_json(nested(1'000'000)).is_discarded());
  EXPECT_TRUE(read_json('"' + nested(101) + "\\\"" + nested(101) + '"').is_string());
  EXPECT_TRUE(read_json(R"(["\\",)" + nested(100) + "]").is_discarded());
}

TEST(JsonText, IsReadInTimeInProportionToItsObjects) {
  std::string objects = "[{}";
  for (int i = 1; i < 300'000; ++i) objects += ",{}";
  EXPECT_EQ(read_json(objects + "]").size(), 300'000u);  // 14 s if by their square
}

TEST(JsonText, HasMembersOfTheRightTypeOrNone) {
  const auto json = read_json(R"({"text":"x","count":7,"null":null})");
  EXPECT_EQ(text_member(json, "text"), "x");
  EXPECT_EQ(text_member(json, "count"), "");
  EXPECT_EQ(text_member(json, "missing"), "");
  EXPECT_EQ(text_member(read_json("[]"), "text"), "");
  EXPECT_EQ(count_member(json, "count"), 7);
  EXPECT_EQ(count_member(json, "text"), -1);
  EXPECT_EQ(count_member(json, "missing", 0), 0);
  EXPECT_TRUE(member(json, "missing").is_null());
  EXPECT_TRUE(member(json, "null").is_null());
}

TEST(JsonText, CountsOnlyWhatCanBeSummed) {
  const auto json = read_json(
      R"({"negative":-1,"huge":18446744073709551615,"most":9007199254740992,"half":0.5})");
  EXPECT_EQ(count_member(json, "negative"), -1);
  EXPECT_EQ(count_member(json, "huge"), -1);
  EXPECT_EQ(count_member(json, "most"), 9007199254740992);
  EXPECT_EQ(count_member(json, "half"), -1);
}

TEST(JsonText, IsWrittenWhateverItsBytes) {
  EXPECT_EQ(to_text("a\xff"), "\"a\uFFFD\"");
}

}  // namespace
}  // namespace quarry::model_http
