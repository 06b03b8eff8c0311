#include "cli/score_text.h"

#include "base/json.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

TEST(ScoreText, ShowsTheSumOfEachEvidenceTheFactorsAndTheTerms) {
  const Json explain = {
      {"score", 1.99},
      {"parts",
       {{{"evidence", "file"}, {"term", "card"}, {"value", 2.0}},
        {{"evidence", "words"}, {"term", "card"}, {"value", 1.5}},
        {{"evidence", "words"}, {"term", "charg"}, {"value", 1.0}},
        {{"evidence", "siblings"}, {"value", 0.6}}}},
      {"factors",
       {{{"rule", "demotion: test"}, {"value", 0.65}}, {{"rule", "repeat"}, {"value", 0.6}}}}};
  EXPECT_EQ(explanation_text(explain),
            "  score 1.99 = (words 2.50 + file 2.00 + siblings 0.60) * 0.65 (demotion: test) * "
            "0.60 (repeat)\n"
            "    words: card 1.50, charg 1.00\n"
            "    file: card 2.00\n");
}

TEST(ScoreText, ShowsAScoreWithoutFactors) {
  const Json explain = {{"score", 1.5},
                        {"parts", {{{"evidence", "words"}, {"term", "card"}, {"value", 1.5}}}},
                        {"factors", Json::array()}};
  EXPECT_EQ(explanation_text(explain), "  score 1.50 = (words 1.50)\n    words: card 1.50\n");
}

TEST(ScoreText, ShowsTheFormOfTheQuestion) {
  Json question = {
      {"form", "short"}, {"asksFor", "either"}, {"words", 3}, {"body", 0.7}, {"code", 0.7}};
  EXPECT_EQ(question_form_text(question),
            "question: short, asks for code or documentation; 3 words count, those after the first "
            "line 0.70");
  question = {{"form", "issue"}, {"asksFor", "code"}, {"words", 90}, {"body", 0.3}, {"code", 0.15}};
  EXPECT_EQ(question_form_text(question),
            "question: issue, asks for code; 90 words count, those after the first line 0.30, in "
            "fenced blocks 0.15");
}

}  // namespace
}  // namespace quarry::cli
