#include "corpus/query/fusion.h"

#include <gmock/gmock.h>

namespace quarry::corpus {
namespace {

std::vector<RankedPassage> list(std::initializer_list<PassageId> passages) {
  std::vector<RankedPassage> out;
  for (const PassageId passage : passages) out.push_back({0, passage, passage, 0});
  return out;
}

std::vector<PassageId> ids(const std::vector<RankedPassage>& passages) {
  std::vector<PassageId> out;
  for (const RankedPassage& passage : passages) out.push_back(passage.passage);
  return out;
}

using ::testing::ElementsAre;

TEST(Fusion, PutsWhatBothListsHaveFirst) {
  EXPECT_THAT(ids(fuse(list({1, 2, 3}), list({4, 3, 5}), 10)), ElementsAre(3, 1, 2, 4, 5));
}

TEST(Fusion, KeepsTheOrderOfAnOnlyList) {
  EXPECT_THAT(ids(fuse(list({9, 4, 7}), {}, 10)), ElementsAre(9, 4, 7));
  EXPECT_THAT(ids(fuse({}, list({9, 4, 7}), 2)), ElementsAre(9, 4));
}

TEST(Fusion, ScoresByRank) {
  const auto fused = fuse(list({1, 2}), list({2}), 10);
  EXPECT_DOUBLE_EQ(fused[0].score, 1.0 / 7 + 0.5 / 6);
  EXPECT_DOUBLE_EQ(fused[1].score, 1.0 / 6);
}

TEST(Fusion, OrdersEqualScoresByPlace) {
  // Seventh by words, first by meaning: 1 / 12 both.
  EXPECT_THAT(ids(fuse(list({20, 21, 22, 23, 24, 25, 8}), list({3}), 10)),
              ElementsAre(20, 21, 22, 23, 24, 25, 3, 8));
}

}  // namespace
}  // namespace quarry::corpus
