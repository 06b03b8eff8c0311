#include "resources/look.h"

namespace quarry::resources {
namespace {

/// The snapshot there is: in memory, or left by an earlier process.
std::optional<Leased> find(const Workshop& workshop, const Order& order) {
  if (auto leased = order.source->lease(workshop.store)) return std::move(*leased);
  const std::string key = source_key(source_of(order.resource, order.project));
  std::string name;
  if (order.locked) {
    name = snapshot_name(key, identity_of(*order.locked));
  } else {
    const auto newest = workshop.store.newest(key);
    if (!newest) return std::nullopt;
    name = newest->name;
  }
  auto leased = workshop.store.open(name);
  if (!leased) return std::nullopt;
  if (order.source->adopt_first(*leased)) workshop.look_after(*leased, Workshop::Came::kBefore);
  return std::move(*leased);
}

std::string next_try(const BackOff::Pause& pause) {
  const auto minutes = std::chrono::ceil<std::chrono::minutes>(pause.left);
  return "its source is asked again in " + (pause.left < std::chrono::minutes(2)
                                                ? std::to_string(pause.left.count()) + " s"
                                                : std::to_string(minutes.count()) + " minutes");
}

/// A failure is told once, to the operator; a refusal also to whoever asks next (Source::refused).
void note_outcome(const Workshop& workshop, Source& source, const std::string& name,
                  const Result<Prepared>& result) {
  const std::string why = result ? result->stale : result.error().message;
  const bool failed = !why.empty() && !workshop.flights.closing();
  if (!source.failing.exchange(failed) && failed) {
    workshop.surroundings.problem("resource \"" + name + "\" could not be refreshed: " + why);
  }
  source.refreshing = false;
}

void refresh_in_background(const Workshop& workshop, Request request) {
  const auto source = request.order.source;
  if (source->refreshing.exchange(true)) return;
  request.stop = {};
  request.claim.background = true;
  request.progress = nullptr;
  request.done = [&workshop, source,
                  name = request.order.resource.value("name", "")](const Result<Prepared>& result) {
    note_outcome(workshop, *source, name, result);
  };
  workshop.flights.join(request);
}

}  // namespace

std::optional<Prepared> look(const Workshop& workshop, const Request& request) {
  if (request.order.source->damaged) return std::nullopt;
  const auto leased = find(workshop, request.order);
  if (!leased || leased->stored->metadata.in_place) return std::nullopt;
  workshop.store.mark_used(*leased);
  workshop.answered(request.order, *leased);
  if (request.order.locked) return answer_of(*leased, "");
  const auto now = workshop.surroundings.clock.now();
  const bool offline = request.freshness == Freshness::kOffline;
  const bool due = request.refresh.is_due(Store::current_at(*leased), now);
  if (request.order.source->refused && !offline) return std::nullopt;
  if (!due) return answer_of(*leased, "");
  if (offline) return answer_of(*leased, "its source was not asked; " + age_of(*leased, now));
  if (const auto pause =
          request.order.source->back_off.pause(workshop.surroundings.clock.steady_now())) {
    return answer_of(*leased, pause->why + "; " + age_of(*leased, now) + "; " + next_try(*pause));
  }
  if (!request.refresh.in_background) return std::nullopt;
  refresh_in_background(workshop, request);
  return answer_of(*leased, "it is being refreshed; " + age_of(*leased, now));
}

}  // namespace quarry::resources
