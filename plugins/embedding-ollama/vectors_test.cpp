#include "embedding-ollama/vectors.h"

#include <quarry/draft/testing.hpp>

namespace quarry::embedding_ollama {
namespace {

using Recorder = quarry::testing::ExchangeRecorder<quarry_embedding_sink>;

bool read(std::string_view body, Recorder& recorder) {
  EmbeddingSink sink(recorder.get());
  return read_vectors(body, sink);
}

TEST(OllamaVectors, AreInTheOrderOfTheTexts) {
  Recorder recorder;
  ASSERT_TRUE(read(R"({"model":"m","embeddings":[[1,2],[-0.5,1e-7]],"total_duration":14143917,
                     "load_duration":1019500,"prompt_eval_count":8})",
                   recorder));
  ASSERT_EQ(recorder.output().vectors.size(), 2u);
  EXPECT_EQ(recorder.output().vectors[1], std::pair(1u, std::vector<float>{-0.5F, 1e-7F}));
  EXPECT_EQ(recorder.output().input_tokens, 8);
}

TEST(OllamaVectors, AreNothingElse) {
  for (const auto* body :
       {"", "{}", R"({"embedding":[1]})", R"({"embeddings":[1]})", R"({"embeddings":[[null]]})",
        R"({"embeddings":[["1"]]})", R"({"embeddings":[[1],[inf]]})", R"({"embeddings":[[1]])",
        R"({"embeddings":[[1]],"prompt_eval_count":"8"})"}) {
    Recorder recorder;
    EXPECT_FALSE(read(body, recorder)) << body;
  }
}

}  // namespace
}  // namespace quarry::embedding_ollama
