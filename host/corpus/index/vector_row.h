#pragma once

#include "base/error.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace quarry::corpus {

/// Greatest dimension of a vector: the sum of its products fits 32 bits.
inline constexpr std::uint32_t kMostDimensions = 8192;

/// Bytes of a row of int8 values: the dimension, rounded up for wide registers.
constexpr std::size_t row_bytes(std::uint32_t dimension) {
  return (std::size_t{dimension} + 31) / 32 * 32;
}

/// The vector of a passage, of length 1: the values times `scale`. All zero for a text without a
/// direction.
struct VectorRow {
  float scale = 0;
  std::string values;  ///< row_bytes() of int8, padded with zeros
};

/// kInternal if a value is infinite or not a number.
Result<VectorRow> to_row(std::span<const float> vector);

/// The vector of a question, of length 1, in more detail than a row.
struct QuestionVector {
  std::uint32_t dimension = 0;
  float scale = 0;
  std::vector<std::int16_t> values;  ///< as many as a row has, within ±1023
};

/// kInternal if a value is infinite or not a number, or there are too many.
Result<QuestionVector> to_question_vector(std::span<const float> vector);

/// The sums of products of the question with each of the rows, one after the other in `rows`.
/// Times both scales it is the cosine. products.size() rows are read. [any thread]
void multiply_rows(const std::int8_t* rows, const QuestionVector& question,
                   std::span<std::int32_t> products);

}  // namespace quarry::corpus
