#pragma once

#include "ask/allowance.h"
#include "ask/bill.h"
#include "ask/context_window.h"
#include "ask/conversation.h"
#include "ask/model_failure.h"
#include "ask/question.h"

#include <boost/asio/awaitable.hpp>

namespace quarry::ask {

/// The model calls of one question. A candidate that fails before it said anything, because it is
/// down or out of quota, hands over to the next for the rest of the question; after that there is
/// no second telling. On the I/O thread.
class ModelCalls {
 public:
  using Steady = Clock::Steady;

  /// All must outlive it.
  ModelCalls(const House& house, const Request& request, Answer& answer, Steady started,
             std::stop_token stop);

  struct Outcome {
    std::optional<Step> step;           ///< nothing when a limit forbade the call
    std::string_view limit = {};        ///< that forbade it or, with a step, made it the last
    std::optional<Error> refused = {};  ///< by the purse: it would have been too much
  };
  /// Step number `number`, from 1. A step that failed has an error. Takes old results of tools out
  /// of `conversation` when it does not fit the model's context.
  boost::asio::awaitable<Outcome> ask(std::uint32_t number, Conversation& conversation);

  /// Who answers now.
  [[nodiscard]] const Candidate& candidate() const { return request_.models[at_]; }
  /// Those before it.
  [[nodiscard]] const std::vector<FailedModel>& failed() const { return failed_; }
  [[nodiscard]] Bill& bill() { return bill_; }
  [[nodiscard]] const Bill& bill() const { return bill_; }
  [[nodiscard]] std::chrono::nanoseconds generating() const { return generating_; }
  [[nodiscard]] std::optional<Steady> first_token() const { return first_token_; }

 private:
  boost::asio::awaitable<Step> call(std::string chat_request);
  /// Puts the money for a call aside; of what reads `input` tokens. Less of it allows less output.
  boost::asio::awaitable<Result<Kept>> keep(std::int64_t input, Allowance& allowed);
  boost::asio::awaitable<void> settle(Kept kept, Money spent);
  /// Makes `conversation` fit what the candidate can read, as far as is known.
  void fit(Conversation& conversation) const;
  [[nodiscard]] Allowance next_call(std::uint32_t number, const Conversation& conversation) const;
  /// The step failed before anything of it was seen, so that another call may take its place.
  [[nodiscard]] bool replaceable(const Step& step) const;
  /// Another candidate is to go on after such an error.
  [[nodiscard]] bool has_heir(const plugins::ModelError& error) const;
  void hand_over(const plugins::ModelError& error);

  const House& house_;
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
