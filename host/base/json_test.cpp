#include "base/json.h"

#include <array>
#include <iterator>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry {
namespace {

std::string refusal(std::string_view text) {
  const auto parsed = parse_json(text);
  return parsed ? "accepted" : parsed.error().message;
}

TEST(Json, ParsesOneValue) {
  EXPECT_EQ((*parse_json(R"({"a":[1,true,null,"x"]})"))["a"][3], "x");
}

TEST(Json, NamesThePositionOfAMistake) {
  EXPECT_THAT(refusal(R"({"a":1,})"), ::testing::StartsWith("not valid JSON at byte 8"));
  EXPECT_THAT(refusal(""), ::testing::HasSubstr("byte"));
  EXPECT_THAT(refusal("{} x"), ::testing::HasSubstr("byte 4"));
}

TEST(Json, RefusesADuplicateKey) {
  EXPECT_THAT(refusal(R"({"a":1,"a":2})"), ::testing::HasSubstr("\"a\" appears twice"));
  EXPECT_TRUE(parse_json(R"({"a":{"a":1},"b":[{"a":1},{"a":2}]})"));
}

/// With the square of their number it would take minutes.
TEST(Json, ReadsAnObjectWhoseKeysHaveOneHash) {
  // Either text of each pair leads to one state of libstdc++'s std::hash of 256 bytes.
  constexpr std::array<std::string_view, 2> kPairs[] = {
      {"u04r8xtxfiN2nco ", "bzFknFfKIkd }qeL"}, {"L5Ty2cFV6q1UuLQ(", "MBP0WD8X_WV}md~."},
      {"4NwGng4PDZUV,w3N", "XI4cmY0j ER}jisv"}, {"yKytjg2O}ZQ>Zr3_", "bWK6HGQW=_qsJM7Y"},
      {"1yfSSxxbFf(+msQj", "NBtajAdt$CR^8yjs"}, {"11755Ms0_;FQsY-)", "hK3mLwv4a<}(BKDU"},
      {"DPsrs1HQ [}xD<lj", "0EDHO3gmekxKW<}="}, {"Jp1YZQaz@]_qp4hi", "fCdhicAN[!4ZFUWV"},
      {"pYyc6C2yoOzYea&S", "qpdwdVys7epe_J2v"}, {"Lf1obz4Pmb2WgF4K", "F0IW17jR|@NU!07N"},
      {"xlK1QGZd%bKzbWJ8", "Yc4vXRwH(ld~(zO]"}, {"b201baM50OpDxs=F", "CMMK6pdu;fr#$gc-"},
      {"EwwyEr1S&k~!ry4:", "Jg0valxn37=0_cs#"}, {"ApdpZaPVDX5rqVy=", "dNqwn1mHdgjNX]53"},
      {"JRLyAUGX@i5%C-Ga", "m9RZntfGS8[G[2_z"}, {"vd8h4eKA)7Vy)VH.", "kmOIqYOzAPi@>50h"},
  };
  constexpr std::size_t kKeys = 1u << std::size(kPairs);
  std::string text;
  for (std::size_t key = 0; key < kKeys; ++key) {
    text += key == 0 ? "{\"" : ",\"";
    for (std::size_t i = 0; i < std::size(kPairs); ++i) text += kPairs[i][key >> i & 1];
    text += "\":0";
  }
  EXPECT_EQ(parse_json(text + '}')->size(), kKeys);
}

TEST(Json, RefusesDeepNesting) {
  const auto nested = [](std::size_t n) { return std::string(n, '[') + std::string(n, ']'); };
  EXPECT_TRUE(parse_json(nested(kMaxJsonDepth)));
  EXPECT_THAT(refusal(nested(kMaxJsonDepth + 1)), ::testing::HasSubstr("nested deeper"));
  EXPECT_FALSE(parse_json(std::string(1'000'000, '[')));
}

TEST(Json, RefusesNumbersOutOfRange) {
  EXPECT_FALSE(parse_json("1e400"));
  EXPECT_TRUE(parse_json("1e300"));
}

TEST(Json, RefusesInvalidUtf8AndNulKeys) {
  EXPECT_FALSE(parse_json("\"\xff\""));
  EXPECT_FALSE(parse_json("\"\xed\xa0\x80\""));
  EXPECT_THAT(refusal(R"({"a\u0000":1})"), ::testing::HasSubstr("NUL"));
}

TEST(Json, RefusesNulAndTextAfterIt) {
  using namespace std::string_literals;
  EXPECT_THAT(refusal("{\"a\":1}\0junk"s), ::testing::HasSubstr("byte 8"));
  for (const std::string& text : {"{}\0"s, "\0{}"s, "{\0}"s, "\0"s, "[1,\0 2]"s, "\"a\0b\""s}) {
    EXPECT_FALSE(parse_json(text)) << text;
  }
}

TEST(Json, PrintsInvalidUtf8AsReplacement) {
  EXPECT_EQ(to_text("a\xff"), "\"a\uFFFD\"");
}

TEST(Json, QuotesLikeTheLibrary) {
  for (const std::string& text : std::vector<std::string>{
           "", "plain", "q\"b\\s/", "\n\r\t\b\f\x01\x1f", "gr\u00fc\u00df", "bad\xff"}) {
    std::string quoted;
    append_quoted(quoted, text);
    EXPECT_EQ(*parse_json(quoted), *parse_json(to_text(text))) << text;
  }
}

}  // namespace
}  // namespace quarry
