#include "ask/model_calls.h"

#include "ask/await_all.h"

namespace quarry::ask {
namespace asio = boost::asio;

ModelCalls::ModelCalls(const House& house, const Request& request, Answer& answer, Steady started,
                       std::stop_token stop)
    : house_(house),
      request_(request),
      answer_(answer),
      started_(started),
      stop_(std::move(stop)) {}

asio::awaitable<ModelCalls::Outcome> ModelCalls::ask(std::uint32_t number,
                                                     const Conversation& conversation) {
  const bool last = number >= request_.limits.max_steps;
  while (true) {
    if (std::string limit = reached_limit(); !limit.empty()) {
      co_return Outcome{.step = {}, .limit = std::move(limit)};
    }
    Step step = co_await call(conversation.request(candidate(), last));
    if (!hands_over(step)) co_return Outcome{.step = std::move(step), .limit = {}, .last = last};
    failed_.push_back({candidate().provider, candidate().name, words_of(*step.error)});
    ++at_;
  }
}

asio::awaitable<Step> ModelCalls::call(std::string chat_request) {
  using Done = char;
  const auto asked = house_.clock.steady_now();
  StepSink sink(answer_, house_.clock, stop_);
  auto start = [&](std::size_t, auto done) {
    candidate().model->step(std::move(chat_request), stop_, sink, [done] { done(Done()); });
  };
  co_await await_all<Done>(1, start);
  generating_ += house_.clock.steady_now() - asked;
  Step step = sink.take();
  if (!step.finish && !step.error) {
    step.error = {.code = Code::kUnavailable, .message = "the model ended without saying why"};
  }
  if (!first_token_) first_token_ = step.first_token;
  bill_.add(candidate(), step.usage.value_or(plugins::Usage()), step.error.has_value());
  co_return step;
}

bool ModelCalls::hands_over(const Step& step) const {
  if (!step.error || step.first_token || stop_.stop_requested()) return false;
  if (at_ + 1 == request_.models.size()) return false;
  // What is wrong with the model that was asked for is the user's to mend; a fallback that cannot
  // help either is passed over.
  return at_ > 0 || is_outage(*step.error);
}

std::string ModelCalls::reached_limit() const {
  const Limits& limits = request_.limits;
  if (house_.clock.steady_now() - started_ >= limits.max_time) return "maxSeconds";
  if (limits.max_tokens > 0 &&
      static_cast<std::uint64_t>(total_tokens(bill_.usage())) >= limits.max_tokens) {
    return "maxTokens";
  }
  if (limits.max_cost && bill_.total() >= *limits.max_cost) return "maxCost";
  return {};
}

}  // namespace quarry::ask
