#include "ask/unpriced.h"
#include "engine/requests.h"
#include "engine/running_engine.h"
#include "engine/token_budget.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

/// Longest time that a question waits for the first fetch of prices.
constexpr std::chrono::seconds kPriceFetch{15};

/// Objects that a running question keeps alive.
struct KeptAlive {
  std::shared_ptr<const State> state;
  access::Access::StreamSlot slot;  ///< among the streams of its token
};

}  // namespace

Result<access::Access::StreamSlot> RunningEngine::begin_stream(const access::Principal& who,
                                                               ask::Request& request) {
  auto& access = *gate_->opened();
  request.bearer = who.token;
  request.shared_budget = std::make_shared<TokenBudget>(access, who);
  return access.begin_stream(who);
}

Status RunningEngine::check_priced(const State& state, ask::Request& request,
                                   const std::stop_token& stop) {
  const auto refused = [&](const ask::Candidate& model) {
    return ask::unpriced(request, model).has_value();
  };
  if (std::ranges::none_of(request.models, refused)) return {};
  // A caller with a token must not occupy a worker for the time of a fetch.
  if (request.bearer.empty() && state.config.refresh_prices && prices_.wait(stop, kPriceFetch)) {
    auto models = state.models->candidates(state.pricing, stop);
    if (!models) return std::move(models).error();
    request.models = std::move(*models);
  }
  if (std::ranges::all_of(request.models, refused))
    return *ask::unpriced(request, request.models.front());
  return {};
}

RunningEngine::Answer RunningEngine::ask(std::string_view params, const std::stop_token& stop) {
  auto asked = read_question(params);
  if (!asked) return std::move(asked).error();
  const auto bearer = read_principal(params);
  if (!bearer) return bearer.error();
  std::optional<access::Principal> who;
  if (*bearer) {
    auto admitted = principal(**bearer, "ask");
    if (!admitted) return std::move(admitted).error();
    who = std::move(*admitted);
    if (!asked->thread.empty()) {
      return invalid("the question is not valid", "RequestError",
                     {{"/thread", "cannot be given with a token: send the turns in \"history\""}});
    }
  }
  const auto now = state();
  if (const auto model = now->models->chosen(); !model) return model.error();
  refresh_prices(*now);
  const std::size_t turns_left_out = load_thread(*asked);
  auto resources = who ? resources_of(*now, *asked, *who) : resources_of(*now, *asked);
  if (!resources) return std::move(resources).error();
  auto models = now->models->candidates(now->pricing, stop);
  if (!models) return std::move(models).error();
  const config::Model& model = now->config.model;
  ask::Request request;
  request.text = std::move(asked->question);
  request.resources = std::move(*resources);
  request.locked = now->lock.has_value() && !who;
  request.models = std::move(*models);
  request.limits = {.max_steps = model.max_steps,
                    .max_time = model.max_time,
                    .max_tokens = model.max_tokens,
                    .max_cost = model.max_cost,
                    .allow_unpriced = model.allow_unpriced,
                    .max_event_bytes = now->config.server.max_event_bytes,
                    .reader_grace = now->config.server.reader_grace};
  if (Status within = apply_budget(model.monthly_budget, request); !within) {
    return std::move(within).error();
  }
  request.thread = std::move(asked->thread);
  request.named = std::move(asked->resources);
  request.history = std::move(asked->history);
  request.turns_left_out = turns_left_out;
  access::Access::StreamSlot slot;
  if (who) {
    auto begun = begin_stream(*who, request);
    if (!begun) return std::move(begun).error();
    slot = std::move(*begun);
  }
  if (Status priced = check_priced(*now, request, stop); !priced) return std::move(priced).error();
  const config::Server& server = now->config.server;
  const auto kept = std::make_shared<const KeptAlive>(KeptAlive{now, std::move(slot)});
  auto id = question_registry_->start(std::move(request), server.max_questions,
                                      {.time = server.keep_finished}, kept);
  if (!id) return std::move(id).error();
  static_cast<void>(host_services_->metrics.count("questions_total", ""));
  return to_text({{"id", *id}});
}

RunningEngine::Answer RunningEngine::stop_question(std::string_view params) {
  const auto id = read_id(params);
  if (!id) return id.error();
  if (!question_registry_->stop(*id)) {
    return Error{Code::kNotFound, "there is no question \"" + *id + "\"",
                 "It may have ended some time ago."}
        .tagged("NotFound");
  }
  return to_text({{"id", *id}, {"stopped", true}});
}

}  // namespace quarry::engine
