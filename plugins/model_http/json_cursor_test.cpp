#include "model_http/json_cursor.h"

#include <vector>

#include <gtest/gtest.h>

namespace quarry::model_http {
namespace {

/// The string in `text`; "failed" when there is none.
std::string string_of(std::string_view text) {
  JsonCursor json(text);
  const std::string out(json.string());
  return json.finished() ? out : "failed";
}

bool skips(std::string_view text) {
  JsonCursor json(text);
  json.skip();
  return json.finished();
}

TEST(JsonCursor, HandsOutMembersAndElementsInTheirOrder) {
  JsonCursor json(R"( { "a" : "1" , "b":[ "x","y" ],"c":null, "d":{},"e":[] } )");
  std::vector<std::string> told;
  json.object([&](std::string_view key) {
    told.emplace_back(key);
    if (key == "a") told.emplace_back(json.string());
    if (key == "b") json.array([&] { told.emplace_back(json.string()); });
    if (key == "c") json.null();
    if (key == "d") json.object([&](std::string_view) { FAIL(); });
    if (key == "e") json.array([] { FAIL(); });
  });
  EXPECT_TRUE(json.finished());
  EXPECT_EQ(told, (std::vector<std::string>{"a", "1", "b", "x", "y", "c", "d", "e"}));
}

TEST(JsonCursor, UnescapesStrings) {
  EXPECT_EQ(string_of(R"("plain ünï")"), "plain ünï");
  EXPECT_EQ(string_of(R"("")"), "");
  EXPECT_EQ(string_of(R"("\"\\\/\b\f\n\r\t")"), "\"\\/\b\f\n\r\t");
  EXPECT_EQ(string_of(R"("a\u0041\u00e9\u20ACz")"), "aAé€z");
  EXPECT_EQ(string_of(R"("\ud83d\ude00!")"), "😀!");
  EXPECT_EQ(string_of(R"("\u0000")"), std::string(1, '\0'));
}

TEST(JsonCursor, FailsWhereAStringIsNone) {
  for (const char* text :
       {"", "x", "\"", "\"a", "\"a\\\"", "\"a\\", "\"a\nb\"", R"("\x")", R"("\u12")", R"("\u12g4")",
        R"("\ud83d")", R"("\ud83d\n")", R"("\ud83d\u0041")", R"("\ude00")", "12", "null"}) {
    EXPECT_EQ(string_of(text), "failed") << text;
  }
}

TEST(JsonCursor, SkipsAnyValue) {
  for (const char* text : {"1", "-1.5e3", "true", "null", R"("a\"]}")", "[]", "{}",
                           R"({"a":[1,{"b":"}"},null],"c":"\\"})", " [ 1 , [ ] ] "}) {
    EXPECT_TRUE(skips(text)) << text;
  }
  EXPECT_TRUE(skips(std::string(100'000, '[') + std::string(100'000, ']'))) << "without a stack";
  for (const char* text : {"", "[", "{\"a\":", "]", ",", "[\"a]", "1 2"}) {
    EXPECT_FALSE(skips(text)) << text;
  }
}

TEST(JsonCursor, HandsOutNothingOnceItHasFailed) {
  JsonCursor json(R"(["a",{"b":1}])");
  int taken = 0;
  json.array([&] {
    ++taken;
    json.string();
  });
  EXPECT_EQ(taken, 2);
  EXPECT_TRUE(json.failed());
  EXPECT_FALSE(json.finished());
  EXPECT_EQ(json.string(), "");
  EXPECT_FALSE(json.null());
}

TEST(JsonCursor, FailsWhereAnObjectOrAnArrayIsNone) {
  for (const char* text : {"[1}", "[1 2]", "[1,", "x", "{}"}) {
    JsonCursor json(text);
    json.array([&] { json.skip(); });
    EXPECT_FALSE(json.finished()) << text;
  }
  for (const char* text : {"{\"a\" 1}", "{\"a\":1", "{a:1}", "{\"a\":1,}", "[]", "{\"a\":}"}) {
    JsonCursor json(text);
    json.object([&](std::string_view) { json.skip(); });
    EXPECT_FALSE(json.finished()) << text;
  }
}

}  // namespace
}  // namespace quarry::model_http
