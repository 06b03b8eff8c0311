#include "rerank-cohere/scores.h"

#include <quarry/draft/testing.hpp>

namespace quarry::rerank_cohere {
namespace {

using Recorder = quarry::testing::ExchangeRecorder<quarry_rerank_sink>;

bool read(std::string_view body, Recorder& recorder) {
  RerankSink sink(recorder.get());
  return read_scores(body, sink);
}

TEST(CohereScores, AreThoseOfCohere) {
  Recorder recorder;
  ASSERT_TRUE(read(R"({"id":"x","results":[{"index":3,"relevance_score":0.999071},
    {"index":0,"relevance_score":1.5e-5}],"meta":{"billed_units":{"search_units":1}}})",
                   recorder));
  ASSERT_EQ(recorder.output().scores.size(), 2u);
  EXPECT_EQ(recorder.output().scores[0], std::pair(3u, 0.999071));
  EXPECT_EQ(recorder.output().input_tokens, -1);
}

TEST(CohereScores, AreThoseOfLlamaCppAndJina) {
  Recorder recorder;
  ASSERT_TRUE(read(R"({"model":"m","object":"list","usage":{"prompt_tokens":74,"total_tokens":74},
    "results":[{"document":{"text":"a"},"relevance_score":-11.25,"index":1}]})",
                   recorder));
  ASSERT_EQ(recorder.output().scores.size(), 1u);
  EXPECT_EQ(recorder.output().scores[0], std::pair(1u, -11.25));
  EXPECT_EQ(recorder.output().input_tokens, 74);
}

TEST(CohereScores, AreNothingElse) {
  for (const auto* body :
       {"", "{}", "[]", R"({"results":[{"index":0}]})", R"({"results":[{"relevance_score":1}]})",
        R"({"results":[{"index":0,"relevance_score":NaN}]})",
        R"({"results":[{"index":0,"relevance_score":1e999}]})",
        R"({"results":[{"index":0,"relevance_score":null}]})",
        R"({"results":[{"index":-1,"relevance_score":1}]})", R"({"results":[)"}) {
    Recorder recorder;
    EXPECT_FALSE(read(body, recorder)) << body;
  }
}

}  // namespace
}  // namespace quarry::rerank_cohere
