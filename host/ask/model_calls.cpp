#include "ask/model_calls.h"

#include "ask/await_all.h"

#include <algorithm>

namespace quarry::ask {
namespace asio = boost::asio;

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

asio::awaitable<ModelCalls::Outcome> ModelCalls::ask(std::uint32_t number,
                                                     Conversation& conversation) {
  for (int cuts = 0;;) {
    fit(conversation);
    Allowance allowed = next_call(number, conversation);
    if (!allowed.permitted) co_return Outcome{.step = std::nullopt, .limit = allowed.limit};
    const std::size_t size = conversation.size(candidate());
    const auto kept = co_await keep(estimate_.tokens(size), allowed);
    if (!kept) co_return Outcome{.step = std::nullopt, .limit = "maxCost", .refused = kept.error()};
    const Money before = bill_.total();
    Step step =
        co_await call(conversation.request(candidate(), allowed.output, !allowed.limit.empty()));
    co_await settle(*kept, Money{bill_.total().nanos - before.nanos});
    if (step.usage) estimate_.learn(size, step.usage->input);
    if (replaceable(step) && is_too_long(*step.error) && cuts < kMostCuts &&
        conversation.drop_older_half()) {
      ++cuts;
    } else if (replaceable(step) && has_heir(*step.error)) {
      hand_over(*step.error);
    } else {
      co_return Outcome{.step = std::move(step), .limit = allowed.limit};
    }
  }
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

asio::awaitable<Result<Kept>> ModelCalls::keep(std::int64_t input, Allowance& allowed) {
  if (!request_.purse || !candidate().rates) co_return Kept{};
  const Money most = most_of_call(candidate(), input, allowed.output);
  const Money least = most_of_call(candidate(), input, std::min(kLeastAnswer, allowed.output));
  using Answered = std::optional<Result<Kept>>;
  auto start = [&](std::size_t, auto done) {
    house_.workers.submit(
        [this, least, most, done] { done(Answered(request_.purse->keep(least, most))); });
  };
  auto all = co_await await_all<Answered>(1, start);
  Result<Kept> kept = std::move(*all.front());
  if (kept) allowed.output = output_for(kept->amount, candidate(), input, allowed.output);
  co_return kept;
}

asio::awaitable<void> ModelCalls::settle(Kept kept, Money spent) {
  if (kept.id.empty()) co_return;
  auto start = [&](std::size_t, auto done) {
    house_.workers.submit([this, kept, spent, done] {
      request_.purse->settle(kept, spent);
      done('\0');
    });
  };
  co_await await_all<char>(1, start);
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
  if (step.finish == plugins::Finish::kStop && step.calls.empty() && !answer_.has_text()) {
    step.error = {.code = Code::kUnavailable, .message = "the model ended without an answer"};
  }
  if (!first_token_) first_token_ = step.first_token;
  bill_.add(candidate(), step.usage.value_or(plugins::Usage()), step.error.has_value());
  co_return step;
}

bool ModelCalls::replaceable(const Step& step) const {
  return step.error && !step.first_token && !stop_.stop_requested();
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
