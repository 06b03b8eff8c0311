#include "config/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::config {
namespace {

TEST(Document, KnowsWhereEveryMemberStands) {
  const auto document =
      *parse_document("# c\n[model]\nname = \"x\"\n\n[[resource]]\n  url = 'u'\n", "q");
  EXPECT_EQ(document.places.at("/model/name").text(), "q:3:1");
  EXPECT_EQ(document.places.at("/resource/0/url").text(), "q:6:3");
  EXPECT_EQ(document.places.at("/resource/0").line, 5u);
}

TEST(Document, KnowsTheTextOfValuesAndTheLineOfHeaders) {
  const std::string text = "[model] # m\nname = \"gr\u00fc\u00df\" # c\nlist = [1,\n 2]\n";
  const auto document = *parse_document(text, "q");
  const auto text_of = [&](const char* pointer) {
    const Span span = document.values.at(pointer);
    return text.substr(span.begin, span.end - span.begin);
  };
  EXPECT_EQ(text_of("/model/name"), "\"gr\u00fc\u00df\"");
  EXPECT_EQ(text_of("/model/list"), "[1,\n 2]");
  EXPECT_EQ(document.headers.at("/model"), 0u);
}

TEST(Document, FindsTheValuesOfALongLineWithoutWalkingItForEach) {
  constexpr std::size_t kItems = 200'000;
  std::string text = "# gr\u00fc\u00df\nlist = [\"gr\u00fc\u00df\u20ac\"";
  for (std::size_t i = 1; i < kItems; ++i) text += ",7";
  text += "] # \u20ac\nlast = 8";
  const auto document = *parse_document(text, "q");
  ASSERT_EQ(document.root["list"].size(), kItems);
  const auto text_of = [&](const std::string& pointer) {
    const Span span = document.values.at(pointer);
    return text.substr(span.begin, span.end - span.begin);
  };
  EXPECT_EQ(text_of("/list/0"), "\"gr\u00fc\u00df\u20ac\"");
  EXPECT_EQ(text_of("/list/1"), "7");
  EXPECT_EQ(text_of("/list/" + std::to_string(kItems - 1)), "7");
  EXPECT_EQ(document.values.at("/list").end, text.find("] #") + 1);
  EXPECT_EQ(text_of("/last"), "8");
}

TEST(Document, NamesThePlaceOfASyntaxError) {
  const auto document = parse_document("a = 1\nb = \n", "dir/quarry.toml");
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().tag, "ConfigError");
  EXPECT_THAT(document.error().message, ::testing::StartsWith("dir/quarry.toml:2:"));
}

TEST(Document, WritesValuesThatReadBackTheSame) {
  const Json values = {{"text", "quote \" back \\ tab \t del \x7f gr\u00fc\u00df \u20ac"},
                       {"number", -3},
                       {"real", 1.5},
                       {"truth", false},
                       {"list", {"a", 2}},
                       {"table", {{"odd key", 1}, {"bare", Json::object()}}}};
  for (const auto& [key, value] : values.items()) {
    const auto read = parse_document(to_toml_key(key) + " = " + to_toml(value), "q");
    ASSERT_TRUE(read) << to_toml(value);
    EXPECT_EQ(read->root[key], value);
  }
}

}  // namespace
}  // namespace quarry::config
