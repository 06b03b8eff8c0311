#include "model_http/embedding_request.h"

#include <gtest/gtest.h>

namespace quarry::model_http {
namespace {

using Floats = std::optional<std::vector<float>>;

Floats vector_in(std::string_view text) {
  JsonCursor json(text);
  return read_vector(json);
}

TEST(Embedding, VectorsAreFiniteNumbers) {
  EXPECT_EQ(vector_in("[1, -2.5,3e2]"), Floats({1, -2.5F, 300}));
  EXPECT_EQ(vector_in("[]"), Floats(std::vector<float>()));
  for (const auto* wrong : {"", "[", "[1", "[NaN]", "[inf]", "[-inf]", "[1e39]", "[1e999]", "[--1]",
                            "[\"1\"]", "[null]", "{}", "[1,]"}) {
    EXPECT_EQ(vector_in(wrong), std::nullopt) << wrong;
  }
}

TEST(Embedding, CountsMayBeMissing) {
  const auto count = [](std::string_view text) {
    JsonCursor json(text);
    return read_count(json);
  };
  EXPECT_EQ(count("8"), 8);
  EXPECT_EQ(count("null"), -1);
  EXPECT_EQ(count("-3"), -1);
  EXPECT_EQ(count("1e300"), -1);
}

}  // namespace
}  // namespace quarry::model_http
