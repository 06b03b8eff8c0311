#include "retrieval/vector_collector.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace quarry::retrieval {

bool VectorCollector::vector(std::uint32_t index, std::span<const float> values) {
  if (failure_) return false;
  const std::string place = "with the index " + std::to_string(index);
  if (index >= seen_.size()) {
    fail("the response has a vector " + place + ", and the request " +
         std::to_string(seen_.size()) + " texts");
  } else if (seen_[index]) {
    fail("the response has two vectors " + place);
  } else if (dimension_ != 0 && values.size() != dimension_) {
    fail(wrong_dimension(values.size()));
  } else if (!std::ranges::all_of(values, [](float value) { return std::isfinite(value); })) {
    fail("the vector " + place + " has a value that is not finite");
  }
  if (failure_) return false;
  dimension_ = values.size();
  rows_.resize(seen_.size() * dimension_);
  std::ranges::copy(values, rows_.begin() + static_cast<std::ptrdiff_t>(index * dimension_));
  seen_[index] = true;
  ++count_;
  return true;
}

bool VectorCollector::usage(const plugins::Usage& usage) {
  usage_ = usage;
  return !failure_;
}

void VectorCollector::finish() {
  if (failure_ || count_ == seen_.size()) return;
  fail("the response has " + std::to_string(count_) + " vectors for " +
       std::to_string(seen_.size()) + " texts");
}

void VectorCollector::error(const plugins::ModelError& error) {
  if (!failure_) failure_ = provider_failure(use_, error);
}

void VectorCollector::fail(std::string_view why) {
  failure_ = wrong_output(use_, why);
}

std::string VectorCollector::wrong_dimension(std::size_t given) const {
  const std::string values = "the response has a vector of " + std::to_string(given) + " values, ";
  if (expected_ == 0) return values + "and another one of " + std::to_string(dimension_);
  return values + "and earlier ones had " + std::to_string(expected_) +
         ": the server uses another model under the same name";
}

}  // namespace quarry::retrieval
