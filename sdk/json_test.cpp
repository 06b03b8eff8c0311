#include <quarry/json.hpp>

#include <gtest/gtest.h>

namespace quarry {
namespace {

TEST(PluginJson, StringsSayWhatTheyMean) {
  EXPECT_EQ(json::as_string(R"("")"), "");
  EXPECT_EQ(json::as_string(R"("a\"b\\c\/d\n\t")"), "a\"b\\c/d\n\t");
  EXPECT_EQ(json::as_string(R"("\u00fc \u20AC \ud83d\ude00")"), "ü € 😀");
  EXPECT_EQ(json::as_string("7"), std::nullopt);
  EXPECT_EQ(json::as_string(""), std::nullopt);
}

TEST(PluginJson, AMemberIsFoundWhereverItStands) {
  constexpr std::string_view object =
      R"( {"deep": {"text": "no"}, "list": ["text", [1, {}]], "n": -1.5e3 , "text" : "yes"} )";
  EXPECT_EQ(json::string(object, "text"), "yes");
  EXPECT_EQ(json::member(object, "n"), "-1.5e3");
  EXPECT_EQ(json::member(object, "deep"), R"({"text": "no"})");
  EXPECT_EQ(json::member(object, "tex"), std::nullopt);
  EXPECT_EQ(json::member(object, "texts"), std::nullopt);
  EXPECT_EQ(json::member("{}", "text"), std::nullopt);
  EXPECT_EQ(json::member("[1]", "text"), std::nullopt);
}

TEST(PluginJson, BracketsAndQuotesInStringsAreText) {
  EXPECT_EQ(json::string(R"({"a": "}]\"{", "b": "found"})", "b"), "found");
}

TEST(PluginJson, ArraysGiveTheirStrings) {
  EXPECT_EQ(json::strings(R"({"a": ["x", 7, null, ["no"], "y,]"]})", "a"),
            (std::vector<std::string>{"x", "y,]"}));
  EXPECT_TRUE(json::strings(R"({"a": []})", "a").empty());
  EXPECT_TRUE(json::strings(R"({"a": "x"})", "a").empty());
  EXPECT_TRUE(json::strings("{}", "a").empty());
}

TEST(PluginJson, ElementsAreAsTheyStand) {
  EXPECT_EQ(json::elements(R"({"a": [{"b": [1, 2]}, "x,]", 7 ]})", "a"),
            (std::vector<std::string_view>{R"({"b": [1, 2]})", R"("x,]")", "7"}));
  EXPECT_TRUE(json::elements(R"({"a": []})", "a").empty());
  EXPECT_TRUE(json::elements("{}", "a").empty());
}

TEST(PluginJson, MembersHaveDecodedKeys) {
  const auto members = json::members(R"({"a": 1, "\u00fc\"": {"b": [2]} ,"": "x"})");
  ASSERT_EQ(members.size(), 3u);
  EXPECT_EQ(members[0].key, "a");
  EXPECT_EQ(members[0].value, "1");
  EXPECT_EQ(members[1].key, "ü\"");
  EXPECT_EQ(members[1].value, R"({"b": [2]})");
  EXPECT_EQ(members[2].key, "");
  EXPECT_TRUE(json::members("{}").empty());
  EXPECT_TRUE(json::members(R"(["a", "b"])").empty());
}

TEST(PluginJson, WhatIsQuotedIsReadBack) {
  const std::string text = "a\"\\\n\x01/ü\0b";
  EXPECT_EQ(json::quoted("\"\n\x1f"), R"("\"\u000a\u001f")");
  EXPECT_EQ(json::as_string(json::quoted(text)), text);
}

/// The host passes no such text; reading it must still end, within its bytes.
TEST(PluginJson, WrongTextIsReadWithinItsBytes) {
  const std::string sound = R"({"list": ["a\u00fc", {"b": "\ud83d\ude00"}], "text": "\\"})";
  for (std::size_t size = 0; size < sound.size(); ++size) {
    const std::vector<char> exact(sound.begin(), sound.begin() + static_cast<std::ptrdiff_t>(size));
    const std::string_view part(exact.data(), size);
    json::string(part, "text");
    json::strings(part, "list");
    json::members(part);
    for (std::size_t from = 0; from < size; ++from) json::as_string(part.substr(from));
  }
  for (const auto* text :
       {"\"\\", "\"\\\"", "\"\\u\"", "\"\\ud83d\"", "]", "{\"", "{:", "[,", "{]"}) {
    json::as_string(text);
    json::strings(text, "a");
    json::members(text);
  }
}

}  // namespace
}  // namespace quarry
