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
  EXPECT_THAT(ids(fuse(list({1, 2, 3}), list({4, 3, 5}), 10)), ElementsAre(3, 1, 4, 2, 5));
}

TEST(Fusion, KeepsTheOrderOfAnOnlyList) {
  EXPECT_THAT(ids(fuse(list({9, 4, 7}), {}, 10)), ElementsAre(9, 4, 7));
  EXPECT_THAT(ids(fuse({}, list({9, 4, 7}), 2)), ElementsAre(9, 4));
}

TEST(Fusion, ScoresByRank) {
  const auto fused = fuse(list({1, 2}), list({2}), 10);
  EXPECT_DOUBLE_EQ(fused[0].score, 1.0 / 62 + 1.0 / 61);
  EXPECT_DOUBLE_EQ(fused[1].score, 1.0 / 61);
}

TEST(Fusion, OrdersEqualScoresByPlace) {
  EXPECT_THAT(ids(fuse(list({8}), list({3}), 10)), ElementsAre(3, 8));
}

}  // namespace
}  // namespace quarry::corpus
