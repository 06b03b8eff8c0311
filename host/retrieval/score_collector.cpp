#include "retrieval/score_collector.h"

#include <cmath>
#include <string>

namespace quarry::retrieval {

bool ScoreCollector::score(std::uint32_t index, double score) {
  if (failure_) return false;
  const std::string place = "with the index " + std::to_string(index);
  if (index >= seen_.size()) {
    failure_ = wrong_output(use_, "the response has a score " + place + ", and the request " +
                                      std::to_string(seen_.size()) + " documents");
  } else if (seen_[index]) {
    failure_ = wrong_output(use_, "the response has two scores " + place);
  } else if (!std::isfinite(score)) {
    failure_ = wrong_output(use_, "the score " + place + " is not finite");
  }
  if (failure_) return false;
  scores_[index] = score;
  seen_[index] = true;
  ++count_;
  return true;
}

bool ScoreCollector::usage(const plugins::Usage& usage) {
  usage_ = usage;
  return !failure_;
}

void ScoreCollector::finish() {
  if (failure_ || count_ == seen_.size()) return;
  failure_ = wrong_output(use_, "the response has " + std::to_string(count_) + " scores for " +
                                    std::to_string(seen_.size()) + " documents");
}

void ScoreCollector::error(const plugins::ModelError& error) {
  if (!failure_) failure_ = provider_failure(use_, error);
}

}  // namespace quarry::retrieval
