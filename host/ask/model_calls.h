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

/// The model calls of one question. A candidate that fails before it said anything, because it is
/// down or out of quota, hands over to the next for the rest of the question; after that there is
/// no second telling. On the I/O thread.
class ModelCalls {
 public:
  using Steady = Clock::Steady;

  /// All must outlive it.
  ModelCalls(const QuestionServices& services, const Request& request, Answer& answer,
             Steady started, std::stop_token stop);

  struct Outcome {
    bool asked = false;           ///< false when a limit forbade the call
    std::string_view limit = {};  ///< that forbade it or, when asked, made it the last
    /// It would have cost too much, or nobody knows how much.
    std::unique_ptr<Error> refused = {};
  };
  /// Step number `number`, from 1, into `step`; one that failed has an error. Takes old results of
  /// tools out of `conversation` when it does not fit the model's context.
  Task<Outcome> ask(std::uint32_t number, Conversation& conversation, Step& step);

  /// Who answers now.
  [[nodiscard]] const Candidate& candidate() const { return request_.models[at_]; }
  /// Those before it.
  [[nodiscard]] const std::vector<FailedModel>& failed() const { return failed_; }
  [[nodiscard]] Bill& bill() { return bill_; }
  [[nodiscard]] const Bill& bill() const { return bill_; }
  [[nodiscard]] std::chrono::nanoseconds generating() const { return generating_; }
  [[nodiscard]] std::optional<Steady> first_token() const { return first_token_; }

 private:
  /// Puts the money for a call aside that reads `input` tokens. Less of it allows less output;
  /// answers why there is not enough.
  Task<std::unique_ptr<Error>> keep(std::int64_t input, Allowance& allowed,
                                    BudgetReservation& kept);
  Task<void> settle(BudgetReservation kept, Money spent);
  /// Takes note of a call that began at `begun` and has ended. It was thought to read and was
  /// allowed to write as much as `most`.
  void count(Step& step, Steady begun, const plugins::Usage& most);
  /// What limits count of a call: what the provider told, and `most` in place of what it did not.
  [[nodiscard]] plugins::Usage counted(const Step& step, const plugins::Usage& most) const;
  /// Makes `conversation` fit what the candidate can read, as far as is known.
  void fit(Conversation& conversation) const;
  [[nodiscard]] Allowance next_call(std::uint32_t number, const Conversation& conversation) const;
  /// Another call is to take the place of one that failed before anything of it was seen: with a
  /// shorter conversation, or of the next candidate.
  bool is_replaced(const Step& step, Conversation& conversation, int& cuts);
  /// Another candidate is to go on after such an error.
  [[nodiscard]] bool has_fallback(const plugins::ModelError& error) const;
  void hand_over(std::string reason);
  /// Hands over from candidates that may not be asked for want of a price; why, when the last one
  /// is one of them.
  std::unique_ptr<Error> pass_over_unpriced();

  const QuestionServices& services_;
  const Request& request_;
  Answer& answer_;
  const Steady started_;
  const std::stop_token stop_;

  std::size_t at_ = 0;
  TokenEstimate estimate_;  ///< of the candidate
  std::vector<FailedModel> failed_;
  Bill bill_;
  std::chrono::nanoseconds generating_{0};
  std::optional<Steady> first_token_;
};

}  // namespace quarry::ask
