#include "engine/requests.h"
#include "engine/running_engine.h"

#include <nlohmann/json.hpp>

namespace quarry::engine {

RunningEngine::Answer RunningEngine::ask(std::string_view params, const std::stop_token& stop) {
  auto asked = read_question(params);
  if (!asked) return std::move(asked).error();
  const auto now = state();
  if (const auto model = now->models->chosen(); !model) return model.error();
  want_prices(*now);
  auto resources = resources_of(*now, *asked);
  if (!resources) return std::move(resources).error();
  auto models = now->models->candidates(now->pricing, stop);
  if (!models) return std::move(models).error();
  const config::Model& model = now->config.model;
  ask::Request request;
  request.text = std::move(asked->question);
  request.resources = std::move(*resources);
  request.locked = now->lock.has_value();
  request.models = std::move(*models);
  request.limits = {.max_steps = model.max_steps,
                    .max_time = model.max_time,
                    .max_tokens = model.max_tokens,
                    .max_cost = model.max_cost,
                    .max_event_bytes = now->config.server.max_event_bytes,
                    .reader_grace = now->config.server.reader_grace};
  if (Status kept = keep_to_budget(model.monthly_budget, request); !kept) {
    return std::move(kept).error();
  }
  request.thread = std::move(asked->thread);
  request.history = std::move(asked->history);
  take_up_thread(request);
  const config::Server& server = now->config.server;
  auto id =
      desk_->start(std::move(request), server.max_questions, {.time = server.keep_finished}, now);
  if (!id) return std::move(id).error();
  static_cast<void>(foundation_->metrics.count("questions_total", ""));
  return to_text({{"id", *id}});
}

RunningEngine::Answer RunningEngine::stop_question(std::string_view params) {
  const auto id = read_id(params);
  if (!id) return id.error();
  if (!desk_->stop(*id)) {
    return Error{Code::kNotFound, "there is no question \"" + *id + "\"",
                 "It may have ended some time ago."}
        .tagged("NotFound");
  }
  return to_text({{"id", *id}, {"stopped", true}});
}

}  // namespace quarry::engine
