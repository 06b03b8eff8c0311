#include "model_http/half_characters.h"

#include "model_http/json_text.h"

#include <gtest/gtest.h>

namespace quarry::model_http {
namespace {

/// The text of deltas, each a JSON string.
std::string joined(std::initializer_list<std::string_view> deltas) {
  HalfJoiner joiner;
  std::string out;
  for (const auto delta : deltas) {
    const nlohmann::json json = read_json(R"({"t":")" + std::string(delta) + "\"}");
    EXPECT_TRUE(json.is_object()) << delta;
    out += joiner.join(text_member(json, "t"));
  }
  return out.append(joiner.rest());
}

// elizaOS/eliza#30904, elie222/rakazo#416: the halves of a surrogate pair are in two deltas.
TEST(HalfCharacters, OfTwoDeltasAreOneCharacter) {
  EXPECT_EQ(joined({R"(a \ud83d)", R"(\udc4d b)"}), "a 👍 b");
  EXPECT_EQ(joined({R"(\ud83d)", "", R"(\udc4d)"}), "👍");
  EXPECT_EQ(joined({R"(\ud83d\udc4d\ud83e)", R"(\udd86)"}), "👍🦆");
}

TEST(HalfCharacters, OfTheBytesOfACharacterAreOneCharacter) {
  EXPECT_EQ(joined({"a \xF0\x9F", "\x91\x8D b"}), "a 👍 b");
  EXPECT_EQ(joined({"Zw\xC3", "\xB6lf"}), "Zwölf");
}

// smheidrich/py-json-stream-rs-tokenizer#59, daggaz/json-stream#39: a half alone is no character.
TEST(HalfCharacters, WithoutTheOtherHalfAreReplaced) {
  EXPECT_EQ(joined({R"(a \ud83d)", "b"}), "a \uFFFDb");
  EXPECT_EQ(joined({R"(\udc4d)"}), "\uFFFD");
  EXPECT_EQ(joined({R"(\ud83d\ud83d)", R"(\udc4d)"}), "\uFFFD👍");
  EXPECT_EQ(joined({R"(a \ud83d)"}), "a \uFFFD");
}

TEST(HalfCharacters, LeaveEverythingElseAlone) {
  EXPECT_FALSE(mark_halves(R"({"a":"\\ud83d \" \ud83d\udc4d Zwölf 👍"})"));
  EXPECT_EQ(joined({R"(\\ud83d)", "👍"}), "\\ud83d👍");
  EXPECT_TRUE(read_json("{\"a\":\"\\ud83d").is_discarded());
  EXPECT_TRUE(read_json("{\"a\":\"\xFF").is_discarded());
}

}  // namespace
}  // namespace quarry::model_http
