#include "resources/preparation.h"

#include "base/text.h"
#include "resources/tree_sink.h"

#include <nlohmann/json.hpp>

namespace quarry::resources {
namespace {

constexpr corpus::PackRules kInPlaceRules{};

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

/// The source answered, and refused: an older version must not hide that.
bool is_refusal(Code code) {
  return code == Code::kInvalidArgument || code == Code::kPermissionDenied;
}

Prepared answer(const Leased& leased, std::string stale) {
  const Metadata& metadata = leased.stored->metadata;
  Prepared prepared;
  prepared.snapshot = leased.stored->snapshot;
  prepared.version = metadata.version;
  prepared.display = metadata.display;
  prepared.permalink = metadata.permalink;
  prepared.fetched_at = metadata.fetched_at;
  prepared.stale = std::move(stale);
  prepared.lease = leased.lock;
  return prepared;
}

Progress parse_progress(std::string_view text) {
  const auto json = parse_json(text);
  Progress progress;
  if (!json || !json->is_object()) return progress;
  const auto number = [&](const char* member) -> std::uint64_t {
    const auto found = json->find(member);
    return found != json->end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
  };
  const auto message = json->find("message");
  if (message != json->end() && message->is_string())
    progress.message = message->get<std::string>();
  progress.done = number("done");
  progress.total = number("total");
  return progress;
}

}  // namespace

Preparation::Preparation(Workshop workshop, const Json& resource, const std::string& source_text,
                         Source& source, Flight& flight)
    : workshop_(workshop),
      resource_(resource),
      source_text_(source_text),
      key_(source_key(source_text)),
      source_(source),
      flight_(flight) {}

plugins::Call Preparation::call() const {
  return {flight_.stop(), std::nullopt,
          [this](std::string_view json) { flight_.report(parse_progress(json)); }};
}

Result<Prepared> Preparation::run() {
  if (source_.folder) {
    flight_.close();
    if (source_.folder->unchanged()) {
      if (const auto leased = lease_again()) return answer(*leased, "");
    }
  }
  const auto leased = current();
  if (!leased) return last_known(leased.error());
  workshop_.store.mark_current(*leased);
  adopt(*leased);
  return answer(*leased, "");
}

Result<Leased> Preparation::current() {
  const auto types = workshop_.surroundings.types();
  const auto type = types.find(resource_.value("type", ""));
  if (type == types.end()) {
    return Error{Code::kUnavailable, "no plugin offers its type " + to_text(resource_["type"]),
                 "See which plugins are loaded: quarry plugins list."};
  }
  const auto version = type->second->resolve(call(), resource_);
  if (!version) return version.error();
  return of_version(*type->second, *version);
}

Result<Leased> Preparation::of_version(plugins::ResourceType& type,
                                       const plugins::ResourceVersion& version) {
  if (version.immutable) {
    if (auto leased = known(snapshot_name(key_, version.id))) return leased;
  }
  return fetch(type, version);
}

Result<Leased> Preparation::fetch(plugins::ResourceType& type,
                                  const plugins::ResourceVersion& version) {
  TreeSink sink(workshop_.store, workshop_.options.limits, flight_.stop());
  const auto fetched = type.fetch(call(), resource_, version, sink);
  if (sink.failure()) return *sink.failure();
  if (!fetched) return fetched.error();
  if (sink.in_place()) return read_in_place(*sink.in_place(), version.display);
  const auto building = sink.finish();
  if (!building) return building.error();
  // Other files may come under the same id of a version that is not immutable.
  const std::string unique = version.immutable ? "" : (*building)->path().filename().string();
  return workshop_.store.publish(**building, snapshot_name(key_, version.id + unique),
                                 {source_text_, version.id, version.display, fetched->permalink,
                                  workshop_.surroundings.clock.now(), false});
}

Result<Leased> Preparation::read_in_place(const std::filesystem::path& root,
                                          const std::string& display) {
  if (!source_.folder || !source_.folder->is(root)) {
    source_.folder = std::make_unique<Folder>(root, kInPlaceRules);
  }
  flight_.close();
  const auto tree = corpus::TreeState::scan(root, workshop_.options.limits, kInPlaceRules,
                                            workshop_.surroundings.executor, flight_.stop());
  if (!tree) return tree.error();
  const std::string name = snapshot_name(key_, tree->id());
  auto leased = known(name);
  if (!leased) leased = pack(root, *tree, name, display);
  if (leased) source_.folder->settle();
  return leased;
}

Result<Leased> Preparation::pack(const std::filesystem::path& root, const corpus::TreeState& tree,
                                 const std::string& name, const std::string& display) {
  const auto building = workshop_.store.build();
  if (!building) return building.error();
  const auto previous = previous_state();
  const auto fetched_at = workshop_.surroundings.clock.now();
  const auto packed = corpus::pack_directory(
      root, tree, previous.get(), (*building)->snapshot(), workshop_.options.limits,
      workshop_.surroundings.executor, flight_.stop(), [&](const corpus::PackProgress& progress) {
        flight_.report({"reading " + root.string(), progress.files, tree.file_count()});
      });
  if (!packed) return packed.error();
  return workshop_.store.publish(**building, name,
                                 {source_text_, tree.id(), display, "", fetched_at, true});
}

/// What the folder held before: in memory, or left by an earlier process.
std::shared_ptr<const corpus::Snapshot> Preparation::previous_state() {
  if (source_.stored) return source_.stored->snapshot;
  const auto newest = workshop_.store.newest(key_);
  if (!newest) return nullptr;
  const auto leased = workshop_.store.open(newest->name);
  return leased ? leased->stored->snapshot : nullptr;
}

Result<Leased> Preparation::known(const std::string& name) {
  if (source_.stored && source_.stored->name == name) {
    if (auto leased = lease_again()) return leased;
  }
  return workshop_.store.open(name);
}

Result<Leased> Preparation::lease_again() {
  if (auto lock = source_.lock.lock()) return Leased{source_.stored, std::move(lock)};
  if (!source_.stored) return Error{Code::kNotFound, "no snapshot is open"};
  auto leased = workshop_.store.lease(source_.stored);
  if (leased) {
    workshop_.store.mark_current(*leased);
    source_.lock = leased->lock;
  } else {
    source_.stored = nullptr;
  }
  return leased;
}

Result<Prepared> Preparation::last_known(Error why) {
  if (flight_.stop().stop_requested()) {
    return Error{Code::kCancelled, "the preparation was cancelled"};
  }
  if (is_refusal(why.code) || source_.folder) return why;
  const auto newest = workshop_.store.newest(key_);
  if (!newest) return why;
  const auto leased = workshop_.store.open(newest->name);
  if (!leased || leased->stored->metadata.in_place) return why;
  const auto age = workshop_.surroundings.clock.now() - newest->current_at;
  return answer(*leased, why.message + "; this is how it was " + age_text(age) + " ago");
}

void Preparation::adopt(const Leased& leased) {
  const bool opened = source_.stored != leased.stored;
  source_.stored = leased.stored;
  source_.lock = leased.lock;
  if (opened) tidy_in_background(leased);
}

/// The answer does not wait for its indexes, nor for the removal of what it replaces.
void Preparation::tidy_in_background(const Leased& leased) {
  workshop_.flights.in_background(
      [workshop = workshop_, key = key_, held = leased](const std::stop_token& stop) mutable {
        const Status built =
            corpus::build_indexes(*held.stored->snapshot, workshop.surroundings.executor, stop);
        if (!built && !stop.stop_requested()) {
          workshop.surroundings.problem("an index could not be built: " + built.error().message);
        }
        // A newer version may be there by now, and this one the older.
        held = {};
        workshop.store.drop_older(key);
        workshop.store.shrink_to(workshop.options.max_bytes);
      });
}

}  // namespace quarry::resources
