#include "ask/model_calls.h"

#include "ask/await_all.h"
#include "ask/question_spans.h"
#include "ask/unpriced.h"

#include <algorithm>
#include <utility>

namespace quarry::ask {
namespace {

constexpr int kMaxCuts = 2;  // of a request that is too long for its model

}  // namespace

ModelCalls::ModelCalls(const QuestionServices& services, const Request& request,
                       const services::SpanParent& trace, Answer& answer, Steady started,
                       std::stop_token stop)
    : services_(services),
      request_(request),
      trace_(trace),
      answer_(answer),
      started_(started),
      stop_(std::move(stop)) {
  static_cast<void>(skip_unpriced());  // the meta event names the model that is asked
}

Task<ModelCalls::Outcome> ModelCalls::ask(std::uint32_t number, Conversation& conversation,
                                          Step& step) {
  Allowance allowed;
  Tried tried;
  do {
    step = {};
    if (auto refused = skip_unpriced()) {
      co_return Outcome{.limit = "maxCost", .refused = std::move(refused)};
    }
    fit(conversation);
    allowed = next_call(number, conversation);
    if (!allowed.permitted) co_return Outcome{.limit = allowed.limit};
    const std::size_t size = conversation.size(candidate());
    const std::int64_t input = estimate_.tokens(size);
    BudgetReservation reservation;
    if (auto refused = co_await reserve(input, allowed, reservation)) {
      co_return Outcome{.limit = "maxCost", .refused = std::move(refused)};
    }
    if (stop_.stop_requested()) {
      co_await settle(std::move(reservation), {});
      co_return Outcome{.asked = true};
    }
    const Money before = bill_.charged();
    const Steady begun = services_.clock.steady_now();
    services::RunningSpan span = step_span(trace_, candidate(), number, allowed.output);
    StepSink sink(step, answer_, services_.clock, services_.tools.names, stop_);
    co_await await_one<>([&](auto done) {
      const services::LogScope scope(request_.subject);
      candidate().model->step(
          {conversation.request(candidate(), allowed.output, !allowed.limit.empty()),
           services::SpanParent(span).traceparent(), request_.project},
          stop_, sink, std::move(done));
    });
    sink.close();
    count(step, begun, {.input = input, .output = allowed.output});
    end_step_span(span, step, begun);
    co_await settle(std::move(reservation), Money{bill_.charged().nanos - before.nanos});
    if (step.usage) estimate_.learn(size, step.usage->input);
  } while (is_replaced(step, conversation, tried));
  co_return Outcome{.asked = true, .limit = allowed.limit};
}

void ModelCalls::fit(Conversation& conversation) const {
  const std::int64_t share = share_context(candidate().context_tokens).request;
  const std::size_t bytes = excess(estimate_, conversation.size(candidate()), share);
  if (bytes > 0) conversation.free_space(bytes);
}

Allowance ModelCalls::next_call(std::uint32_t number, const Conversation& conversation) const {
  return allowance(request_.limits, bill_, candidate(), number,
                   services_.clock.steady_now() - started_,
                   estimate_.tokens(conversation.size(candidate())),
                   share_context(candidate().context_tokens).output);
}

Task<std::unique_ptr<Error>> ModelCalls::reserve(std::int64_t input, Allowance& allowed,
                                                 BudgetReservation& reservation) {
  if (!request_.shared_budget || !candidate().rates) co_return nullptr;
  const Money most = most_of_call(candidate(), input, allowed.output);
  const Money least = most_of_call(candidate(), input, std::min(kLeastAnswer, allowed.output));
  auto reserved = co_await await_one<Result<BudgetReservation>>([&](auto done) {
    const services::LogScope scope(request_.subject);
    services_.workers.submit(
        [this, least, most, done] { done(request_.shared_budget->reserve(least, most)); });
  });
  if (!reserved) co_return std::make_unique<Error>(std::move(reserved).error());
  reservation = std::move(*reserved);
  allowed.output = output_for(reservation.amount, candidate(), input, allowed.output);
  co_return nullptr;
}

Task<void> ModelCalls::settle(BudgetReservation reservation, Money spent) {
  if (reservation.id.empty()) co_return;
  co_await await_one<>([&](auto done) {
    const services::LogScope scope(request_.subject);
    services_.workers.submit([this, &reservation, spent, done] {
      request_.shared_budget->settle(reservation, spent);
      done();
    });
  });
}

/// No provider bills a call that failed before its first output; a stopped call is billed for the
/// part that ran.
plugins::Usage ModelCalls::counted(const Step& step, const plugins::Usage& most) const {
  plugins::Usage out = step.usage.value_or(plugins::Usage());
  if (!step.finish && !step.first_token && !stop_.stop_requested()) return out;
  if (out.input <= 0) out.input = most.input;
  const bool told = step.finish && (out.output > 0 || (out.output == 0 && !step.first_token));
  if (!told) out.output = std::max(out.output, most.output);
  return out;
}

void ModelCalls::count(Step& step, Steady begun, const plugins::Usage& most) {
  const plugins::Usage charged = counted(step, most);
  generating_ += services_.clock.steady_now() - begun;
  if (!step.finish && !step.error) {
    step.error = {.code = Code::kUnavailable, .message = "the model ended without saying why"};
  }
  const bool stops =
      step.finish == plugins::Finish::kStop || step.finish == plugins::Finish::kToolCalls;
  if (stops && step.calls.empty() && !answer_.has_text()) {
    step.error = {.code = Code::kUnavailable, .message = "the model ended without an answer"};
  }
  if (!first_token_) first_token_ = step.first_token;
  bill_.add(candidate(), step.usage.value_or(plugins::Usage()), step.error.has_value(), charged);
}

bool ModelCalls::is_replaced(const Step& step, Conversation& conversation, Tried& tried) {
  if (!step.error || step.first_token || stop_.stop_requested()) return false;
  if (may_be_repeated(*step.error) && !std::exchange(tried.again, true)) return true;
  if (is_too_long(*step.error) && tried.cuts < kMaxCuts && conversation.drop_older_half()) {
    ++tried.cuts;
    return true;
  }
  if (is_malformed_call(*step.error) || !has_fallback(*step.error)) return false;
  fall_back(words_of(*step.error));
  return true;
}

/// Errors of the chosen model other than outages are the user's to fix; a fallback is skipped after
/// any error.
bool ModelCalls::has_fallback(const plugins::ModelError& error) const {
  return at_ + 1 < request_.models.size() && (at_ > 0 || is_outage(error));
}

void ModelCalls::fall_back(std::string reason) {
  failed_.push_back({candidate().provider, candidate().name, std::move(reason)});
  ++at_;
  estimate_ = {};
}

std::unique_ptr<Error> ModelCalls::skip_unpriced() {
  while (auto refused = unpriced(request_, candidate())) {
    if (at_ + 1 == request_.models.size()) {
      refused->message.insert(0, words_of(failed_));
      return std::make_unique<Error>(std::move(*refused));
    }
    fall_back(std::move(refused->message));
  }
  return nullptr;
}

}  // namespace quarry::ask
