#include "resources/find_ready.h"

namespace quarry::resources {
namespace {

/// The existing snapshot: in memory, or left by an earlier process.
std::optional<Leased> find(const PreparationContext& context, const Order& order) {
  if (auto leased = order.source->lease(context.store)) return std::move(*leased);
  const auto name = kept_name(context.store, order.resource, order.locked, order.project);
  if (!name) return std::nullopt;
  auto leased = context.store.open(*name);
  if (!leased) return std::nullopt;
  if (order.source->adopt_first(*leased))
    context.maintain(*leased, PreparationContext::Arrival::kExisting);
  return std::move(*leased);
}

std::string next_try(const BackOff::Pause& pause) {
  const auto minutes = std::chrono::ceil<std::chrono::minutes>(pause.left);
  return "its source is asked again in " + (pause.left < std::chrono::minutes(2)
                                                ? std::to_string(pause.left.count()) + " s"
                                                : std::to_string(minutes.count()) + " minutes");
}

/// Reports a failure to the operator once; a refusal also fails the next question
/// (Source::refused).
void note_outcome(const PreparationContext& context, Source& source, const std::string& name,
                  const Result<Prepared>& result) {
  const std::string why = result ? result->stale : result.error().message;
  const bool failed = !why.empty() && !context.runs.closing();
  if (!source.failing.exchange(failed) && failed) {
    context.dependencies.problem("resource \"" + name + "\" could not be refreshed: " + why);
  }
  source.refreshing = false;
}

void refresh_in_background(const PreparationContext& context, Request request) {
  const auto source = request.order.source;
  if (source->refreshing.exchange(true)) return;
  request.stop = {};
  request.claim.background = true;
  request.progress = nullptr;
  request.done = [&context, source,
                  name = request.order.resource.value("name", "")](const Result<Prepared>& result) {
    note_outcome(context, *source, name, result);
  };
  context.runs.join(request);
}

}  // namespace

std::optional<std::string> kept_name(const Store& store, const Json& resource,
                                     const std::optional<plugins::ResourceVersion>& locked,
                                     const std::string& project) {
  const std::string key = source_key(source_of(resource, project));
  if (locked) return snapshot_name(key, identity_of(*locked));
  auto newest = store.newest(key);
  return newest ? std::optional(std::move(newest->name)) : std::nullopt;
}

std::optional<Prepared> find_ready(const PreparationContext& context, const Request& request) {
  if (request.order.source->damaged) return std::nullopt;
  const auto leased = find(context, request.order);
  // What lies on this machine is looked at for every question.
  if (!leased || leased->stored->metadata.in_place || request.order.in_place) return std::nullopt;
  context.store.mark_used(*leased);
  context.answered(request.order, *leased);
  if (request.order.locked) return answer_of(*leased, "");
  const auto now = context.dependencies.clock.now();
  const bool offline = request.freshness == Freshness::kOffline;
  const bool due = request.refresh.is_due(Store::current_at(*leased), now);
  if (request.order.source->refused && !offline) return std::nullopt;
  if (!due) return answer_of(*leased, "");
  if (offline) return answer_of(*leased, "its source was not asked; " + age_of(*leased, now));
  if (const auto pause =
          request.order.source->back_off.pause(context.dependencies.clock.steady_now())) {
    return answer_of(*leased, pause->why + "; " + age_of(*leased, now) + "; " + next_try(*pause));
  }
  if (!request.refresh.in_background) return std::nullopt;
  refresh_in_background(context, request);
  return answer_of(*leased, "it is being refreshed; " + age_of(*leased, now));
}

}  // namespace quarry::resources
