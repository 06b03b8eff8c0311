#pragma once

#include "ask/bill.h"
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
    Step step;
    std::string limit;  ///< that forbade the call; the step is then empty
    bool last = false;  ///< tools were forbidden
  };
  /// Step number `number`, from 1. A step that failed has an error.
  boost::asio::awaitable<Outcome> ask(std::uint32_t number, const Conversation& conversation);

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
  /// The limit that forbids another call; empty when none does.
  [[nodiscard]] std::string reached_limit() const;
  /// Another candidate is to go on after `step`.
  [[nodiscard]] bool hands_over(const Step& step) const;

  const House& house_;
  const Request& request_;
  Answer& answer_;
  const Steady started_;
  const std::stop_token stop_;

  std::size_t at_ = 0;
  std::vector<FailedModel> failed_;
  Bill bill_;
  std::chrono::nanoseconds generating_{0};
  std::optional<Steady> first_token_;
};

}  // namespace quarry::ask
