#include "ask/model_calls.h"

#include "ask/await_all.h"

#include <algorithm>

namespace quarry::ask {
namespace {

constexpr int kMostCuts = 2;  // of a request that its model finds too long

}  // namespace

ModelCalls::ModelCalls(const House& house, const Request& request, Answer& answer, Steady started,
                       std::stop_token stop)
    : house_(house),
      request_(request),
      answer_(answer),
      started_(started),
      stop_(std::move(stop)) {}

Task<ModelCalls::Outcome> ModelCalls::ask(std::uint32_t number, Conversation& conversation,
                                          Step& step) {
  Allowance allowed;
  int cuts = 0;
  do {
    step = {};
    fit(conversation);
    allowed = next_call(number, conversation);
    if (!allowed.permitted) co_return Outcome{.limit = allowed.limit};
    const std::size_t size = conversation.size(candidate());
    Kept kept;
    if (auto refused = co_await keep(estimate_.tokens(size), allowed, kept)) {
      co_return Outcome{.limit = "maxCost", .refused = std::move(refused)};
    }
    const Money before = bill_.total();
    const Steady begun = house_.clock.steady_now();
    StepSink sink(step, answer_, house_.clock, stop_);
    co_await await_one<>([&](auto done) {
      candidate().model->step(
          conversation.request(candidate(), allowed.output, !allowed.limit.empty()), stop_, sink,
          std::move(done));
    });
    sink.close();
    count(step, begun);
    co_await settle(std::move(kept), Money{bill_.total().nanos - before.nanos});
    if (step.usage) estimate_.learn(size, step.usage->input);
  } while (is_replaced(step, conversation, cuts));
  co_return Outcome{.asked = true, .limit = allowed.limit};
}

void ModelCalls::fit(Conversation& conversation) const {
  const std::int64_t room = share_context(candidate().context_tokens).request;
  const std::size_t bytes = excess(estimate_, conversation.size(candidate()), room);
  if (bytes > 0) conversation.make_room(bytes);
}

Allowance ModelCalls::next_call(std::uint32_t number, const Conversation& conversation) const {
  return allowance(request_.limits, bill_, candidate(), number,
                   house_.clock.steady_now() - started_,
                   estimate_.tokens(conversation.size(candidate())),
                   share_context(candidate().context_tokens).output);
}

Task<std::unique_ptr<Error>> ModelCalls::keep(std::int64_t input, Allowance& allowed, Kept& kept) {
  if (!request_.purse || !candidate().rates) co_return nullptr;
  const Money most = most_of_call(candidate(), input, allowed.output);
  const Money least = most_of_call(candidate(), input, std::min(kLeastAnswer, allowed.output));
  auto answered = co_await await_one<Result<Kept>>([&](auto done) {
    house_.workers.submit([this, least, most, done] { done(request_.purse->keep(least, most)); });
  });
  if (!answered) co_return std::make_unique<Error>(std::move(answered).error());
  kept = std::move(*answered);
  allowed.output = output_for(kept.amount, candidate(), input, allowed.output);
  co_return nullptr;
}

Task<void> ModelCalls::settle(Kept kept, Money spent) {
  if (kept.id.empty()) co_return;
  co_await await_one<>([&](auto done) {
    house_.workers.submit([this, &kept, spent, done] {
      request_.purse->settle(kept, spent);
      done();
    });
  });
}

void ModelCalls::count(Step& step, Steady begun) {
  generating_ += house_.clock.steady_now() - begun;
  if (!step.finish && !step.error) {
    step.error = {.code = Code::kUnavailable, .message = "the model ended without saying why"};
  }
  if (step.finish == plugins::Finish::kStop && step.calls.empty() && !answer_.has_text()) {
    step.error = {.code = Code::kUnavailable, .message = "the model ended without an answer"};
  }
  if (!first_token_) first_token_ = step.first_token;
  bill_.add(candidate(), step.usage.value_or(plugins::Usage()), step.error.has_value());
}

bool ModelCalls::is_replaced(const Step& step, Conversation& conversation, int& cuts) {
  if (!step.error || step.first_token || stop_.stop_requested()) return false;
  if (is_too_long(*step.error) && cuts < kMostCuts && conversation.drop_older_half()) {
    ++cuts;
    return true;
  }
  if (!has_heir(*step.error)) return false;
  hand_over(*step.error);
  return true;
}

/// What is wrong with the model that was asked for is the user's to mend; a fallback that cannot
/// help either is passed over.
bool ModelCalls::has_heir(const plugins::ModelError& error) const {
  return at_ + 1 < request_.models.size() && (at_ > 0 || is_outage(error));
}

void ModelCalls::hand_over(const plugins::ModelError& error) {
  failed_.push_back({candidate().provider, candidate().name, words_of(error)});
  ++at_;
  estimate_ = {};
}

}  // namespace quarry::ask
