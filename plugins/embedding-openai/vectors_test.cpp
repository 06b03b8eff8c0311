#include "embedding-openai/vectors.h"

#include <quarry/base64.hpp>
#include <quarry/draft/testing.hpp>

#include <cmath>

namespace quarry::embedding_openai {
namespace {

using Recorder = quarry::testing::ExchangeRecorder<quarry_embedding_sink>;
using Vector = std::vector<float>;

/// The output of a body, and the result of reading it.
struct Read {
  explicit Read(std::string_view body) {
    Recorder recorder;
    EmbeddingSink sink(recorder.get());
    whole = read_vectors(body, sink);
    output = recorder.output();
  }
  bool whole;
  quarry::testing::ExchangeOutput output;
};

TEST(OpenAiVectors, AreNumbersOrBase64InAnyOrder) {
  const Read read(R"({"object":"list","model":"m","data":[
    {"object":"embedding","index":1,"embedding":"AACAPwAAAMA="},
    {"embedding":[0.5,-1e-3, 0],"index":0,"object":"embedding"}],
    "usage":{"prompt_tokens":8,"total_tokens":8,"details":{"cached":[1]}}})");
  ASSERT_TRUE(read.whole);
  ASSERT_EQ(read.output.vectors.size(), 2u);
  EXPECT_EQ(read.output.vectors[0], std::pair(1u, Vector{1, -2}));
  EXPECT_EQ(read.output.vectors[1], std::pair(0u, Vector{0.5F, -1e-3F, 0}));
  EXPECT_EQ(read.output.input_tokens, 8);
}

TEST(OpenAiVectors, OfAServerThatReportsNoUsage) {
  for (const auto* body : {R"({"data":[]})", R"({"data":[],"usage":null})",
                           R"({"data":[],"usage":{"prompt_tokens":null}})"}) {
    const Read read(body);
    EXPECT_TRUE(read.whole) << body;
    EXPECT_EQ(read.output.input_tokens, -1) << body;
  }
}

TEST(OpenAiVectors, AreNothingElse) {
  for (const auto* body :
       {"", "[]", "{}", R"({"data":{}})", R"({"data":[{"index":0}]})", R"({"data":[7]})",
        R"({"data":[{"embedding":[1]}]})", R"({"data":[{"index":-1,"embedding":[1]}]})",
        R"({"data":[{"index":1e300,"embedding":[1]}]})",
        R"({"data":[{"index":0,"embedding":[NaN]}]})",
        R"({"data":[{"index":0,"embedding":[1e39]}]})",
        R"({"data":[{"index":0,"embedding":["1"]}]})", R"({"data":[{"index":0,"embedding":{}}]})",
        R"({"data":[{"index":0,"embedding":"AAAA"}]})",
        R"({"data":[{"index":0,"embedding":"AA*APw=="}]})",
        R"({"data":[{"index":0,"embedding":[1]})", R"({"data":[{"index":0,"embedding":[1]}]} x)"}) {
    EXPECT_FALSE(Read(body).whole) << body;
  }
}

TEST(OpenAiVectors, InBase64AreTheBytesOfTheirFloats) {
  Vector floats;
  for (int i = -50; i < 50; ++i) floats.push_back(std::ldexp(1.0F + static_cast<float>(i), i));
  const std::string bytes(reinterpret_cast<const char*>(floats.data()),
                          floats.size() * sizeof(float));
  EXPECT_EQ(vector_of_base64(to_base64(bytes)), floats);
  EXPECT_EQ(vector_of_base64(""), Vector());
  EXPECT_EQ(vector_of_base64("A"), std::nullopt);
}

}  // namespace
}  // namespace quarry::embedding_openai
