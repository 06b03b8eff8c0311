#include "base/json_writer.h"

#include "base/json.h"

#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry {
namespace {

TEST(JsonWriter, SeparatesMembersAndItems) {
  std::string out;
  JsonWriter json(out);
  json.object([&] {
    json.member("a", 1).member("b", "x");
    json.object("c", [&] { json.member("d", true).member("e", false); });
    json.array("f", [&] {
      json.item(1).item("two");
      json.object([&] { json.member("g", 3); }).object([] {});
      json.array([&] { json.item(4); }).array([] {}).item(5);
    });
    json.member("h", 6);
  });
  EXPECT_EQ(out, R"({"a":1,"b":"x","c":{"d":true,"e":false},)"
                 R"("f":[1,"two",{"g":3},{},[4],[],5],"h":6})");
}

TEST(JsonWriter, WritesOneValueOfAnyKindOutsideOfContainers) {
  const auto written = [](const auto& value) {
    std::string out;
    JsonWriter(out).item(value);
    return out;
  };
  EXPECT_EQ(written("text"), "\"text\"");
  EXPECT_EQ(written(std::string("text")), "\"text\"");
  EXPECT_EQ(written(true), "true");
  EXPECT_EQ(written(std::optional<int>()), "null");
  EXPECT_EQ(written(std::optional<std::string>("text")), "\"text\"");
  EXPECT_EQ(written(std::vector<std::string>{"a", "\"", ""}), R"(["a","\"",""])");
  EXPECT_EQ(written(std::vector<std::string>()), "[]");
}

TEST(JsonWriter, WritesNumbersToTheirLimits) {
  using Signed = std::numeric_limits<std::int64_t>;
  EXPECT_EQ(json_array([](JsonWriter& json) {
              json.item(Signed::min()).item(Signed::max()).item(-1).item(std::uint8_t(0) + 0u);
              json.item(std::numeric_limits<std::uint64_t>::max()).item(std::int16_t(-7));
            }),
            "[-9223372036854775808,9223372036854775807,-1,0,18446744073709551615,-7]");
}

TEST(JsonWriter, WritesMoneyAsExactDollars) {
  EXPECT_EQ(json_object([](JsonWriter& json) { json.member("costUsd", Money{12'500'000}); }),
            R"({"costUsd":0.0125})");
}

TEST(JsonWriter, EscapesTextLikeAppendQuoted) {
  for (const std::string& text :
       std::vector<std::string>{"", "plain", "q\"b\\s/", std::string("\0\n\r\t\b\f\x1f\x7f", 8),
                                "gr\u00fc\u2028", "bad\xff"}) {
    std::string quoted;
    append_quoted(quoted, text);
    EXPECT_EQ(json_array([&](JsonWriter& json) { json.item(text); }), "[" + quoted + "]");
    EXPECT_EQ(json_string(text), quoted);
  }
}

TEST(JsonWriter, JoinsThePiecesOfAText) {
  EXPECT_EQ(json_object([](JsonWriter& json) {
              json.text("a", [](auto) {});
              json.text("b", [](auto add) {
                add("one \"");
                add("");
                add("two\n");
              });
              json.member("c", 1);
            }),
            R"({"a":"","b":"one \"two\n","c":1})");
}

TEST(JsonWriter, CopiesRawValues) {
  EXPECT_EQ(json_object([](JsonWriter& json) {
              json.raw("a", R"({"b":[1.50]})").raw_array("c", std::vector<std::string>());
              json.array("f", [&] { json.raw("[]").item(1).raw("{}"); });
              json.raw_array("d", std::vector<std::string>{"1e3", "{}", "null"}).member("e", 1);
            }),
            R"({"a":{"b":[1.50]},"c":[],"f":[[],1,{}],"d":[1e3,{},null],"e":1})");
}

TEST(JsonWriter, AddsTheMembersOfAnObject) {
  const auto with = [](std::string_view object) {
    return json_object([&](JsonWriter& json) {
      json.raw_members(object).member("a", 1).raw_members(object).member("b", 2);
    });
  };
  EXPECT_EQ(with(R"({"x":{"y":[]},"z":"}"})"),
            R"({"x":{"y":[]},"z":"}","a":1,"x":{"y":[]},"z":"}","b":2})");
  EXPECT_EQ(with("{}"), R"({"a":1,"b":2})");
  EXPECT_EQ(with(""), R"({"a":1,"b":2})");
}

TEST(JsonWriter, AppendsToAStringThatHasContent) {
  std::string out = "data: ";
  JsonWriter json(out);
  json.object([&] { json.member("a", 1); });
  EXPECT_EQ(out, R"(data: {"a":1})");
}

TEST(JsonWriter, AllocatesNothingInAStringThatIsLargeEnough) {
  std::string out;
  out.reserve(1000);
  const char* const before = out.data();
  JsonWriter json(out);
  json.object([&] {
    json.member("text", std::string(400, '\n')).member("count", 7);
    json.object("in", [&] { json.raw("raw", "[]"); });
  });
  EXPECT_EQ(out.data(), before);
  EXPECT_TRUE(parse_json(out));
}

#ifndef NDEBUG
TEST(JsonWriterDeathTest, AssertsThatMembersHaveNamesAndItemsHaveNone) {
  std::string out;
  JsonWriter json(out);
  EXPECT_DEATH(json.member("a", 1), "begin_member");
  EXPECT_DEATH(json.array([&] { json.member("a", 1); }), "begin_member");
  EXPECT_DEATH(json.array([&] { json.raw_members("{}"); }), "raw_members");
  EXPECT_DEATH(json.object([&] { json.item(1); }), "begin_item");
  EXPECT_DEATH(json.object([&] { json.object("a", [] {}).array([] {}); }), "begin_item");
}

TEST(JsonWriterDeathTest, AssertsOneValueOutsideOfContainers) {
  std::string out;
  JsonWriter json(out);
  json.object([] {});
  EXPECT_DEATH(json.object([] {}), "begin_item");
  EXPECT_DEATH(json.item(1), "begin_item");
}

TEST(JsonWriterDeathTest, AssertsThatNamesAndRawValuesAreWhole) {
  std::string out;
  JsonWriter json(out);
  EXPECT_DEATH(json.object([&] { json.member("a\"b", 1); }), "needs_no_escape");
  EXPECT_DEATH(json.object([&] { json.raw("a", ""); }), "json.empty");
  EXPECT_DEATH(json.object([&] { json.raw_members("[1]"); }), "object");
}
#endif

}  // namespace
}  // namespace quarry
