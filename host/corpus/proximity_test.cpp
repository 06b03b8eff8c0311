#include "corpus/proximity.h"

#include <gtest/gtest.h>

namespace quarry::corpus {
namespace {

double score(std::string_view words, std::string_view text) {
  const Question question = parse_question(words, {});
  return Proximity(question, WordWeights(question.words, 1.0)).score(text);
}

TEST(Proximity, IsGreaterTheCloserWordsStand) {
  EXPECT_GT(score("remove untracked", "removes untracked things"),
            score("remove untracked", "remove one that is untracked"));
  EXPECT_GT(score("remove untracked", "remove one that is untracked"), 0);
}

TEST(Proximity, CountsWordsJoinedInAnIdentifier) {
  EXPECT_EQ(score("remove untracked", "removeUntracked"),
            score("remove untracked", "remove untracked"));
}

TEST(Proximity, IsNothingForWordsFarApartOrAlone) {
  EXPECT_EQ(score("remove untracked", "remove"), 0);
  EXPECT_EQ(score("remove untracked", ""), 0);
  EXPECT_EQ(score("remove untracked", "remove a b c d e f g h i j k l m n untracked"), 0);
}

TEST(Proximity, CountsEachPairOnceAtItsBest) {
  EXPECT_EQ(score("remove untracked", "remove untracked"),
            score("remove untracked", "remove untracked, remove untracked"));
}

}  // namespace
}  // namespace quarry::corpus
