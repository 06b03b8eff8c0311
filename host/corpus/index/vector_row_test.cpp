#include "corpus/index/vector_row.h"

#include <cmath>
#include <limits>
#include <random>

#include <gmock/gmock.h>

namespace quarry::corpus {
namespace {

using ::testing::DoubleNear;
using ::testing::HasSubstr;

std::vector<float> random_vector(std::size_t dimension, std::mt19937& random) {
  std::normal_distribution<float> value;
  std::vector<float> vector(dimension);
  for (float& one : vector) one = value(random);
  return vector;
}

double cosine_of(const std::vector<float>& a, const std::vector<float>& b) {
  double product = 0;
  double left = 0;
  double right = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    product += double{a[i]} * b[i];
    left += double{a[i]} * a[i];
    right += double{b[i]} * b[i];
  }
  return product / std::sqrt(left * right);
}

double stored_cosine(const std::vector<float>& passage, const std::vector<float>& question) {
  const auto row = to_row(passage);
  const auto asked = to_question_vector(question);
  std::vector<std::int32_t> products(1);
  multiply_rows(reinterpret_cast<const std::int8_t*>(row->values.data()), *asked, products);
  return double{row->scale} * asked->scale * products[0];
}

TEST(VectorRow, KeepsTheCosineWhateverTheDimensionAndTheLength) {
  std::mt19937 random(1);
  for (const std::size_t dimension : {1u, 3u, 31u, 32u, 33u, 384u, 1536u, 8192u}) {
    const auto passage = random_vector(dimension, random);
    auto question = passage;
    const auto other = random_vector(dimension, random);
    for (std::size_t i = 0; i < dimension; ++i) question[i] = 40 * (passage[i] + other[i]);
    EXPECT_THAT(stored_cosine(passage, question), DoubleNear(cosine_of(passage, question), 0.01))
        << dimension;
  }
}

TEST(VectorRow, OfManyRowsHasTheSumsOfAPlainLoop) {
  std::mt19937 random(2);
  constexpr std::size_t kRows = 37;
  const auto question = *to_question_vector(random_vector(100, random));
  std::string rows;
  for (std::size_t i = 0; i < kRows; ++i) rows += to_row(random_vector(100, random))->values;
  std::vector<std::int32_t> products(kRows);
  multiply_rows(reinterpret_cast<const std::int8_t*>(rows.data()), question, products);
  for (std::size_t i = 0; i < kRows; ++i) {
    std::int32_t sum = 0;
    for (std::size_t j = 0; j < row_bytes(100); ++j) {
      sum += static_cast<std::int8_t>(rows[i * row_bytes(100) + j]) * question.values[j];
    }
    EXPECT_EQ(products[i], sum) << i;
  }
}

TEST(VectorRow, OfTheGreatestDimensionDoesNotOverflow) {
  const std::vector<float> ones(kMostDimensions, 1.0F);
  EXPECT_THAT(stored_cosine(ones, ones), DoubleNear(1, 0.001));
}

TEST(VectorRow, WithoutADirectionIsZero) {
  const auto row = to_row(std::vector<float>(8, 0.0F));
  ASSERT_TRUE(row);
  EXPECT_EQ(row->scale, 0);
  EXPECT_EQ(row->values, std::string(32, '\0'));
}

TEST(VectorRow, RefusesValuesThatAreNotFinite) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    const std::vector<float> vector = {1, bad, 0};
    EXPECT_THAT(to_row(vector).error().message, HasSubstr("not a finite number"));
    EXPECT_EQ(to_question_vector(vector).error().code, Code::kInternal);
  }
}

TEST(VectorRow, RefusesNoValuesAndTooMany) {
  EXPECT_FALSE(to_row({}));
  const auto large = to_row(std::vector<float>(kMostDimensions + 1, 1.0F));
  EXPECT_THAT(large.error().message, HasSubstr("8193 values"));
}

}  // namespace
}  // namespace quarry::corpus
