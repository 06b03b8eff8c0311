#include "corpus/query/evaluation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::corpus {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string evaluation_refusal(std::string_view lines) {
  const auto read = read_judged_questions(lines);
  return read ? "" : read.error().message;
}

TEST(Evaluation, ReadsQuestionsWithTheirGroups) {
  const auto read = read_judged_questions(
      R"({"question":"How?","files":["b","a"],"tree":"t","split":"dev","kind":"code",)"
      R"("style":"issue","origin":"us","language":"C","names_identifier":true,"note":1})"
      "\n\n"
      R"({"question":"Why?","files":["c"]})"
      "\n");
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 2u);
  const JudgedQuestion& first = read->front();
  EXPECT_THAT(first.files, ElementsAre("a", "b"));
  EXPECT_EQ(first.tree + first.split + first.kind + first.style, "tdevcodeissue");
  EXPECT_EQ(first.origin + first.language, "usC");
  EXPECT_TRUE(first.names_identifier);
  EXPECT_FALSE(read->back().names_identifier);
}

TEST(Evaluation, NamesTheLineAndTheMemberThatIsWrong) {
  EXPECT_THAT(evaluation_refusal("{\"question\":\"a\",\"files\":[\"b\"]}\n{"),
              HasSubstr("line 2: "));
  EXPECT_THAT(evaluation_refusal("[]"), HasSubstr("line 1: this is not a JSON object"));
  EXPECT_THAT(evaluation_refusal(R"({"files":["b"]})"), HasSubstr("\"question\""));
  EXPECT_THAT(evaluation_refusal(R"({"question":"a","files":"b"})"), HasSubstr("\"files\""));
  EXPECT_THAT(evaluation_refusal(R"({"question":"a","files":[1]})"), HasSubstr("\"files\""));
  EXPECT_THAT(evaluation_refusal(R"({"question":"a","files":[]})"), HasSubstr("names no file"));
}

TEST(Evaluation, CountsEachFileOnceInTheRank) {
  const JudgedQuestion question{.question = "?", .files = {"c"}};
  const std::vector<std::string> paths = {"a", "a", "b", "c"};
  EXPECT_EQ(rank_of_answer(question, paths), 3u);
  EXPECT_EQ(rank_of_answer(question, std::span(paths).first(3)), 0u);
}

TEST(Evaluation, MeasuresHitsAndReciprocalRanks) {
  const std::vector<std::uint32_t> ranks = {1, 2, 6, 0};
  const RankingQuality quality = measure_ranks(ranks);
  EXPECT_EQ(quality.questions, 4u);
  EXPECT_DOUBLE_EQ(quality.hit_1.value, 0.25);
  EXPECT_DOUBLE_EQ(quality.hit_5.value, 0.5);
  EXPECT_DOUBLE_EQ(quality.hit_10.value, 0.75);
  EXPECT_DOUBLE_EQ(quality.mrr.value, (1 + 0.5 + 1.0 / 6) / 4);
}

TEST(Evaluation, IntervalsContainTheMeanAndNarrowWithMoreQuestions) {
  std::vector<std::uint32_t> few;
  for (std::uint32_t i = 0; i < 20; ++i) few.push_back(i % 2);
  std::vector<std::uint32_t> many;
  for (int i = 0; i < 50; ++i) many.insert(many.end(), few.begin(), few.end());
  const Measure wide = measure_ranks(few).hit_1;
  const Measure narrow = measure_ranks(many).hit_1;
  EXPECT_LT(wide.low, 0.5);
  EXPECT_GT(wide.high, 0.5);
  EXPECT_LT(narrow.high - narrow.low, (wide.high - wide.low) / 3);
  EXPECT_EQ(measure_ranks(few).hit_1.low, wide.low);
}

TEST(Evaluation, IsZeroWithoutQuestions) {
  EXPECT_EQ(measure_ranks({}).questions, 0u);
  EXPECT_EQ(measure_ranks({}).mrr.high, 0);
}

}  // namespace
}  // namespace quarry::corpus
