#include "resources/preparation_context.h"

#include <algorithm>
#include <malloc.h>

#include <nlohmann/json.hpp>

namespace quarry::resources {
namespace {

std::string age_text(Clock::Wall::duration age) {
  const auto count = [](auto amount, std::string unit) {
    return std::to_string(amount) + ' ' + unit + (amount == 1 ? "" : "s");
  };
  const auto minutes = std::chrono::floor<std::chrono::minutes>(age).count();
  if (minutes < 1) return "less than a minute";
  if (minutes < 120) return count(minutes, "minute");
  if (minutes < 48 * 60) return count(minutes / 60, "hour");
  return count(minutes / (24 * 60), "day");
}

}  // namespace

void PreparationContext::maintain(const Leased& leased, Arrival arrival) const {
  const auto maintenance = std::make_shared<Maintenance>();
  // Leases of later stages are taken now too, so that they supersede those of earlier states.
  for (IndexStage& stage : index_stages) {
    if (stage.is_wanted()) maintenance->stages.push_back({&stage, stage.leases.take(leased)});
  }
  const Metadata& metadata = leased.stored->metadata;
  // Older versions that may become current again are kept, as when a tag moves away and back.
  // States of a folder and of versions whose files may change never do.
  if (!metadata.immutable) maintenance->replaces = source_key(metadata.source);
  maintenance->arrival = arrival;
  index_in_turn(maintenance, 0);
}

void PreparationContext::index_in_turn(const MaintenancePointer& maintenance,
                                       std::size_t number) const {
  auto turn = [*this, maintenance, number](const std::stop_token& stop) {
    IndexingLease& lease = *maintenance->stages[number].lease;
    if (!lease.begin()) return;
    const auto superseded = lease.take_superseded();
    if (superseded && superseded->begin()) {
      corpus::share_indexes(*superseded->leased().stored->snapshot,
                            *lease.leased().stored->snapshot);
      superseded->end();
    }
    if (lease.is_superseded()) return lease.pause();  // until the later one shares its indexes
    const std::stop_callback on_shutdown(stop, [&] { lease.request_stop(); });
    if (!build_next(*maintenance->stages[number].stage, lease)) {
      if (number == 0 && !lease.stop().stop_requested()) vectors.add(lease.leased().stored);
      return end(maintenance, number);
    }
    lease.pause();
    index_in_turn(maintenance, number);
  };
  runs.in_turn(maintenance->stages[number].stage->executor, std::move(turn),
               [*this, maintenance, number] { end(maintenance, number); });
}

bool PreparationContext::build_next(const IndexStage& stage, IndexingLease& lease) const {
  const corpus::Snapshot& snapshot = *lease.leased().stored->snapshot;
  if (lease.next_segment == snapshot.segments().size()) return false;
  const Status built = build_index(stage, snapshot, lease.next_segment++, lease.stop());
  if (!built && !lease.stop().stop_requested()) {
    dependencies.problem("an index could not be built: " + built.error().message);
  }
  return static_cast<bool>(built);
}

void PreparationContext::end(const MaintenancePointer& maintenance, std::size_t number) const {
  // A newer version may exist by now and replace this one.
  maintenance->stages[number].lease->end();
  if (!maintenance->replaces.empty()) store.drop_older(maintenance->replaces);
  if (maintenance->arrival == Arrival::kNew) {
    store.sweep_leftovers();
    eviction.shrink_to(options.max_bytes);
    // The allocator keeps what building took, hundreds of megabytes after a large tree.
    ::malloc_trim(0);
  }
  if (number + 1 < maintenance->stages.size()) index_in_turn(maintenance, number + 1);
}

Status PreparationContext::build_index(const IndexStage& stage, const corpus::Snapshot& snapshot,
                                       std::uint32_t segment, const std::stop_token& stop) const {
  Status built = stage.build(snapshot, segment, stop);
  if (built || !is_disk_full(built.error())) return built;
  if (free_space(snapshot.segments()[segment]->packed_text().size())) {
    built = stage.build(snapshot, segment, stop);
  }
  if (built) return built;
  return disk_full(built.error(), options.cache_directory);
}

bool PreparationContext::free_space(std::uint64_t bytes) const {
  constexpr std::uint64_t kLeast = 64u << 20;
  return eviction.free(std::max(kLeast, 2 * bytes)) > 0;
}

Prepared answer_of(const Leased& leased, std::string stale) {
  const Metadata& metadata = leased.stored->metadata;
  Prepared prepared;
  prepared.snapshot = leased.stored->snapshot;
  prepared.version = metadata.version;
  prepared.display = metadata.display;
  prepared.permalink = metadata.permalink;
  prepared.integrity = metadata.integrity;
  const auto fields = parse_json(metadata.fields);
  if (fields && fields->is_object()) prepared.fields = *fields;
  prepared.notes = metadata.notes;
  prepared.generated = metadata.generated;
  prepared.facts = {leased.stored, &metadata.facts};
  prepared.fetched_at = metadata.fetched_at;
  prepared.stale = std::move(stale);
  prepared.lease = leased.lock;
  return prepared;
}

std::string age_of(const Leased& leased, Clock::Wall now) {
  const Clock::Wall current_at = Store::current_at(leased);
  const bool known = current_at != Clock::Wall();
  const Clock::Wall since = known ? current_at : leased.stored->metadata.fetched_at;
  return "this is how it was " + age_text(now - since) + " ago";
}

}  // namespace quarry::resources
