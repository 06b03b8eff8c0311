#include "corpus/index/vector_row.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace quarry::corpus {
namespace {

constexpr float kMostRowValue = 127;
constexpr float kMostQuestionValue = 1023;

/// Length of the vector and its greatest absolute value.
struct Extent {
  double length = 0;
  float greatest = 0;
};

Result<Extent> extent_of(std::span<const float> vector) {
  if (vector.empty() || vector.size() > kMostDimensions) {
    return Error{Code::kInternal,
                 "the encoder returned vectors of " + std::to_string(vector.size()) + " values",
                 "Between 1 and " + std::to_string(kMostDimensions) + " are supported."};
  }
  Extent extent;
  double squares = 0;
  for (const float value : vector) {
    if (!std::isfinite(value)) {
      return Error{Code::kInternal, "the encoder returned a value that is not a finite number"};
    }
    squares += double{value} * double{value};
    extent.greatest = std::max(extent.greatest, std::abs(value));
  }
  extent.length = std::sqrt(squares);
  return extent;
}

/// Writes values of `vector` as integers within ±`most`; returns their scale for length 1.
template <class T, class Out>
float quantise(std::span<const float> vector, const Extent& extent, float most, Out& out) {
  if (extent.greatest == 0) return 0;
  const double factor = double{most} / double{extent.greatest};
  for (std::size_t i = 0; i < vector.size(); ++i) {
    out[i] = static_cast<T>(std::lround(double{vector[i]} * factor));
  }
  return static_cast<float>(1 / (factor * extent.length));
}

}  // namespace

Result<VectorRow> to_row(std::span<const float> vector) {
  const auto extent = extent_of(vector);
  if (!extent) return extent.error();
  VectorRow row;
  row.values.resize(row_bytes(static_cast<std::uint32_t>(vector.size())));
  row.scale = quantise<std::int8_t>(vector, *extent, kMostRowValue, row.values);
  return row;
}

Result<QuestionVector> to_question_vector(std::span<const float> vector) {
  const auto extent = extent_of(vector);
  if (!extent) return extent.error();
  QuestionVector question;
  question.dimension = static_cast<std::uint32_t>(vector.size());
  question.values.resize(row_bytes(question.dimension));
  question.scale = quantise<std::int16_t>(vector, *extent, kMostQuestionValue, question.values);
  return question;
}

}  // namespace quarry::corpus
