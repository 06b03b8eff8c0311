#pragma once

#include "ask/allowance.h"
#include "ask/bill.h"
#include "ask/context_window.h"
#include "ask/conversation.h"
#include "ask/model_failure.h"
#include "ask/question.h"
#include "ask/task.h"

#include <memory>

namespace quarry::ask {

/// The model calls of one question. When a candidate fails before its first output, because it is
/// down or out of quota, the next one is asked for the rest of the question; after its first output
/// no other is. [io]
class ModelCalls {
 public:
  using Steady = Clock::Steady;

  /// All must outlive it.
  ModelCalls(const QuestionServices& services, const Request& request,
             const services::SpanParent& trace, Answer& answer, Steady started,
             std::stop_token stop);

  struct Outcome {
    bool asked = false;           ///< false when a limit prevented the call
    std::string_view limit = {};  ///< limit that prevented the call or, if asked, made it the last
    /// Set when the call would have cost too much, or its price is unknown.
    std::unique_ptr<Error> refused = {};
  };
  /// Runs step number `number`, from 1, and fills `step`, with an error if it failed. Removes old
  /// tool results from `conversation` when it does not fit the model's context.
  Task<Outcome> ask(std::uint32_t number, Conversation& conversation, Step& step);

  /// The current candidate.
  [[nodiscard]] const Candidate& candidate() const { return request_.models[at_]; }
  /// Candidates before it.
  [[nodiscard]] const std::vector<FailedModel>& failed() const { return failed_; }
  [[nodiscard]] Bill& bill() { return bill_; }
  [[nodiscard]] const Bill& bill() const { return bill_; }
  [[nodiscard]] std::chrono::nanoseconds generating() const { return generating_; }
  [[nodiscard]] std::optional<Steady> first_token() const { return first_token_; }

 private:
  /// Reserves the money for a call that reads `input` tokens. A smaller reservation lowers the
  /// allowed output; returns an error when the money is not enough.
  Task<std::unique_ptr<Error>> reserve(std::int64_t input, Allowance& allowed,
                                       BudgetReservation& reservation);
  Task<void> settle(BudgetReservation reservation, Money spent);
  /// Records a call that began at `begun` and has ended. `most`: its estimated input and its
  /// allowed output.
  void count(Step& step, Steady begun, const plugins::Usage& most);
  /// Usage that limits count: what the provider reported, and `most` for what it did not report.
  [[nodiscard]] plugins::Usage counted(const Step& step, const plugins::Usage& most) const;
  /// Shrinks `conversation` to the candidate's context, if its size is known.
  void fit(Conversation& conversation) const;
  [[nodiscard]] Allowance next_call(std::uint32_t number, const Conversation& conversation) const;
  /// What a step has tried besides its first call.
  struct Tried {
    int cuts = 0;        ///< of the conversation
    bool again = false;  ///< the same call
  };
  /// True if a call that failed before its first output is to be repeated: at once, with a shorter
  /// conversation, or by the next candidate.
  bool is_replaced(const Step& step, Conversation& conversation, Tried& tried);
  /// True if another candidate is to be asked after this error.
  [[nodiscard]] bool has_fallback(const plugins::ModelError& error) const;
  void fall_back(std::string reason);
  /// Skips candidates that may not be asked because their price is unknown; returns an error when
  /// the last one is such a candidate.
  std::unique_ptr<Error> skip_unpriced();

  const QuestionServices& services_;
  const Request& request_;
  const services::SpanParent trace_;  ///< of the question
  Answer& answer_;
  const Steady started_;
  const std::stop_token stop_;

  std::size_t at_ = 0;
  TokenEstimate estimate_;  ///< of the current candidate
  std::vector<FailedModel> failed_;
  Bill bill_;
  std::chrono::nanoseconds generating_{0};
  std::optional<Steady> first_token_;
};

}  // namespace quarry::ask
