#include "ask/whole_deltas.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace quarry::ask {
namespace {

std::string joined(const std::vector<std::string_view>& texts) {
  std::string out;
  WholeDeltas deltas;
  const auto give = [&](std::string_view text) { out += text; };
  for (const std::string_view text : texts) deltas.add(text, give);
  deltas.finish(give);
  return out;
}

// tashfeenahmed/freellmapi#1007
TEST(WholeDeltas, GivesTheNewPartOfEachTextThatRepeatsAllBefore) {
  EXPECT_EQ(joined({"It", "It is", "It is off by default", "It is off by default."}),
            "It is off by default.");
  EXPECT_EQ(joined({"It", "It is", "It is off by default", "It is off by default"}),
            "It is off by default");
  EXPECT_EQ(joined({"日", "日本語", "日本語の文書", "日本語の文書です。"}), "日本語の文書です。");
}

// Quorinex/Kiro-Go#138: what a model repeats is not lost.
TEST(WholeDeltas, LeavesDeltasAsTheyAre) {
  EXPECT_EQ(joined({"666", "666", "6"}), "6666666");
  EXPECT_EQ(joined({"a", "ab", "c"}), "aabc");
  EXPECT_EQ(joined({"1", "12", "123"}), "112123");
  EXPECT_EQ(joined({"--", "----", "----------------"}), "----------------------");
  EXPECT_EQ(joined({"It is", " off"}), "It is off");
}

// Rows of one character never become certain, and were held back to the end.
TEST(WholeDeltas, HoldsBackLittleOfRowsThatGrow) {
  std::size_t given = 0;
  std::size_t added = 0;
  WholeDeltas deltas;
  for (std::size_t size = 1; size <= 1'000; ++size) {
    added += size;
    deltas.add(std::string(size, '-'), [&](std::string_view text) { given += text.size(); });
  }
  EXPECT_EQ(given, added);
}

TEST(WholeDeltas, GivesTheFirstTextAtOnce) {
  std::string out;
  WholeDeltas deltas;
  deltas.add("It", [&](std::string_view text) { out += text; });
  EXPECT_EQ(out, "It");
}

}  // namespace
}  // namespace quarry::ask
