#pragma once

#include "ask/model.h"
#include "base/decimal.h"
#include "base/error.h"
#include "engine/question_history.h"

#include <mutex>
#include <optional>

namespace quarry::engine {

/// The requests to embedding and rerank providers in the history, and within the month's budget.
/// Thread-safe.
class RetrievalExpenses {
 public:
  /// `clock` must outlive it.
  explicit RetrievalExpenses(const Clock& clock) : clock_(clock) {}

  /// The history of the engine, which must outlive every call of the functions below.
  void use(QuestionHistory& history);
  /// Fails if a request to `candidate` may cost money and `budget` is used up, cannot be checked,
  /// or the price is unknown and not permitted to be. [worker]
  Status check(const ask::Candidate& candidate, std::optional<Money> budget, bool allow_unpriced);
  /// Records one request with its cost; nothing before use(). Never blocks.
  void record(const ask::Candidate& candidate, const plugins::Usage& usage, bool failed);

 private:
  [[nodiscard]] QuestionHistory* history() const;

  const Clock& clock_;
  mutable std::mutex mutex_;
  QuestionHistory* history_ = nullptr;
};

}  // namespace quarry::engine
