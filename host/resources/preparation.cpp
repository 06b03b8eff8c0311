#include "resources/preparation.h"

#include "resources/disk_usage.h"
#include "resources/tree_sink.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace quarry::resources {
namespace {

/// False if the source could not be asked in time, or this machine's disk is full: the last
/// snapshot stands in for these alone (quarry/resource.h), so that nothing else hides behind it.
bool is_refusal(const Error& why) {
  switch (why.code) {
    case Code::kUnavailable:
    case Code::kDeadlineExceeded:
    case Code::kResourceExhausted:
    case Code::kCancelled:
      return false;
    case Code::kInternal:
      return !is_disk_full(why);  // reported by a program or library, which has no code for it
    default:
      return true;
  }
}

/// sdk/schema/call.progress.json; members of another type count as left out.
Progress parse_progress(std::string_view text) {
  const auto json = parse_json(text);
  Progress progress;
  if (!json || !json->is_object()) return progress;
  const auto number = [&](const char* member) -> std::uint64_t {
    const auto found = json->find(member);
    if (found == json->end() || !found->is_number()) return 0;
    if (found->is_number_unsigned()) return found->get<std::uint64_t>();
    constexpr double kMost = 1ull << 53;
    return static_cast<std::uint64_t>(std::clamp(found->get<double>(), 0.0, kMost));
  };
  const auto message = json->find("message");
  if (message != json->end() && message->is_string())
    progress.message = message->get<std::string>();
  progress.done = number("done");
  progress.total = number("total");
  return progress;
}

/// `notes` and notes about omitted paths and files, and an index of the source that is not used.
std::vector<std::string> with_left_out(std::vector<std::string> notes, std::uint64_t paths,
                                       std::uint32_t secrets, const std::string& scip_problem) {
  if (paths > 0) {
    notes.push_back(std::to_string(paths) + (paths == 1 ? " path is" : " paths are") +
                    " too long or too deep and left out.");
  }
  if (secrets == 1) notes.emplace_back("1 file that looks like a secret was left out.");
  if (secrets > 1) {
    notes.push_back(std::to_string(secrets) + " files that look like secrets were left out.");
  }
  if (!scip_problem.empty()) notes.push_back(scip_problem + '.');
  return notes;
}

/// For a folder of which ignore files exclude everything: one note, otherwise none.
std::vector<std::string> ignored_note(std::size_t files,
                                      const std::vector<corpus::IgnoredBy>& ignored) {
  constexpr std::size_t kMostShown = 3;
  if (ignored.empty()) return {};
  std::string note = files == 0   ? "no file was read: "
                     : files == 1 ? "only 1 file was read: "
                                  : "only " + std::to_string(files) + " files were read: ";
  for (std::size_t i = 0; i < std::min(ignored.size(), kMostShown); ++i) {
    const auto entries = ignored[i].entries;
    note += (i > 0 ? ", " : "") + std::to_string(entries) +
            (entries == 1 ? " entry is" : " entries are") + " left out by " + ignored[i].rule;
  }
  if (ignored.size() > kMostShown) {
    note += ", others by " + std::to_string(ignored.size() - kMostShown) +
            (ignored.size() == kMostShown + 1 ? " more rule" : " more rules");
  }
  return {note + '.'};
}

std::uint32_t keys_in(const corpus::Snapshot& snapshot) {
  return static_cast<std::uint32_t>(
      std::ranges::count_if(snapshot.files(), [&](const corpus::FileRef& file) {
        return snapshot.segment(file).kind(file.file) == corpus::FileKind::kSecret;
      }));
}

}  // namespace

Preparation::Preparation(const PreparationContext& context, const Order& order, PreparationRun& run)
    : context_(context),
      order_(order),
      source_text_(source_of(order.resource, order.project)),
      key_(source_key(source_text_)),
      source_(*order.source),
      run_(run),
      on_stop_(run.stop(), [this] { stop_.request_stop(); }),
      begun_(context.dependencies.clock.steady_now()) {}

services::Call Preparation::call() {
  return {.stop = stop_.get_token(),
          .progress =
              [this](std::string_view json) {
                run_.report(parse_progress(json));
                watch_space();
              },
          .project = order_.project};
}

/// Checks the space on progress reports, because a plugin may write much into its cache before it
/// adds the first file.
void Preparation::watch_space() {
  constexpr auto kCheckInterval = std::chrono::seconds(1);
  const auto now = context_.dependencies.clock.steady_now();
  const std::lock_guard lock(watch_);
  if (watched_sink_ == nullptr || now - space_watched_at_ < kCheckInterval) return;
  space_watched_at_ = now;
  if (!watched_sink_->check_space()) stop_.request_stop();
}

void Preparation::watch(TreeSink* sink) {
  const std::lock_guard lock(watch_);
  watched_sink_ = sink;
}

Result<Prepared> Preparation::run() {
  const std::string before = name_before();
  if (source_.folder) {
    run_.close();
    if (source_.folder->unchanged()) {
      if (const auto leased = source_.lease(context_.store)) {
        context_.store.mark_current(*leased);
        context_.answered(order_, *leased);
        return answer(*leased);
      }
    }
  }
  run_.close_to_sync();
  const auto leased = current_with_eviction();
  source_.refused = !leased && refused_;
  if (leased || refused_) source_.back_off.answered();
  if (leased) source_.damaged = false;
  if (!leased) return last_known(leased.error());
  if (!order_.locked) context_.store.mark_current(*leased);
  context_.answered(order_, *leased);
  if (source_.adopt(*leased)) context_.maintain(*leased, PreparationContext::Arrival::kNew);
  Prepared prepared = answer(*leased);
  if (resolved_) prepared.fields.update(resolved_->fields);
  prepared.fetched = leased->stored->name != before;
  return prepared;
}

Prepared Preparation::answer(const Leased& leased) const {
  Prepared prepared = answer_of(leased, "");
  if (source_.folder && leased.stored->metadata.in_place) {
    prepared.folder = source_.folder->root();
  }
  return prepared;
}

/// Name of the snapshot used before; empty if there was none.
std::string Preparation::name_before() const {
  if (const auto stored = source_.stored()) return stored->name;
  const auto newest = context_.store.newest(key_);
  return newest ? newest->name : std::string();
}

Error Preparation::of_plugin(Error why) {
  refused_ = is_refusal(why);
  return why;
}

/// On a full disk, evicts unused snapshots except the state that would be used instead, and tries
/// again.
Result<Leased> Preparation::current_with_eviction() {
  auto leased = current();
  if (leased || !is_disk_full(leased.error())) return leased;
  const auto before = context_.store.newest(key_);
  const auto kept = before ? context_.store.open(before->name) : Error{};
  if (context_.free_space(written_)) leased = current();
  if (leased || !is_disk_full(leased.error())) return leased;
  return disk_full(leased.error(), context_.options.cache_directory);
}

Result<Leased> Preparation::current() {
  const auto types = types_for(context_.dependencies, order_.project);
  const auto type = types.find(order_.resource.value("type", ""));
  if (type == types.end()) {
    return Error{Code::kUnavailable,
                 "no plugin offers its type " + to_text(order_.resource["type"]),
                 "See which plugins are loaded: quarry plugins list."};
  }
  if (order_.locked) return as_locked(*type->second);
  auto version = type->second->resolve(call(), order_.resource, last());
  if (!version) return of_plugin(version.error());
  resolved_ = std::move(*version);
  auto leased = of_version(*type->second, *resolved_);
  if (leased && !order_.in_place) context_.store.mark_resolved(*leased, resolved_->text);
  return leased;
}

Result<Leased> Preparation::as_locked(plugins::ResourceType& type) {
  auto leased = of_version(type, *order_.locked);
  if (leased || !refused_) return leased;
  return moved(type, leased.error());
}

Error Preparation::moved(plugins::ResourceType& type, const Error& why) {
  const plugins::ResourceVersion& locked = *order_.locked;
  const auto words = [](const plugins::ResourceVersion& version) {
    return (version.display.empty() ? version.id : version.display) +
           (version.integrity.empty() ? "" : " (" + version.integrity + ')');
  };
  Error error{Code::kInvalidArgument,
              "the locked version " + words(locked) + " is not available: " + why.message,
              "See what changed. To use the current version, run quarry lock."};
  const auto now = type.resolve(call(), order_.resource, {});
  if (now && identity_of(*now) != identity_of(locked)) {
    error.message += "; its source is at " + words(*now) + " now";
  }
  return error;
}

Result<Leased> Preparation::of_version(plugins::ResourceType& type,
                                       const plugins::ResourceVersion& version) {
  if (version.immutable) {
    if (auto leased = known(snapshot_name(key_, identity_of(version)))) return leased;
  }
  return fetch(type, version);
}

Result<Leased> Preparation::fetch(plugins::ResourceType& type,
                                  const plugins::ResourceVersion& version) {
  const auto find_previous = [this]() -> std::shared_ptr<const Stored> {
    const Leased* const previous = previous_state();
    return previous == nullptr ? nullptr : previous->stored;
  };
  Space::Reservation space(context_.space, key_);
  TreeSink sink(context_.store, space, context_.options.limits, find_previous, stop_.get_token());
  watch(&sink);
  const auto begin = context_.dependencies.clock.steady_now();
  const auto fetched = type.fetch(call(), order_.resource, version, last(), sink);
  watch(nullptr);
  const bool failed = sink.failure() || !fetched;
  if (context_.dependencies.fetched && !stop_.stop_requested()) {
    context_.dependencies.fetched(order_.resource["type"].get_ref<const std::string&>(), failed,
                                  context_.dependencies.clock.steady_now() - begin);
  }
  if (failed) written_ = sink.written();
  if (sink.failure()) {
    refused_ = sink.failure()->code == Code::kInvalidArgument;  // due to the source's content
    // As the type words it, with its plugin.
    const bool is_same = !fetched && fetched.error().message.ends_with(sink.failure()->message);
    return is_same ? fetched.error() : *sink.failure();
  }
  if (!fetched) return of_plugin(fetched.error());
  if (sink.in_place()) return read_in_place(*sink.in_place(), version.display);
  const auto building = sink.finish();
  if (!building) {
    written_ = sink.written();
    return building.error();
  }
  // A version that is not immutable may have other files under the same id.
  const std::string unique = version.immutable ? "" : (*building)->path().filename().string();
  return context_.store.publish(
      **building, snapshot_name(key_, identity_of(version) + unique),
      {.source = source_text_,
       .version = version.id,
       .display = version.display,
       .permalink = fetched->permalink,
       .integrity = version.integrity,
       .fields = to_text(version.fields),
       .notes = with_left_out(fetched->notes, sink.left_out(), sink.secrets(), sink.scip_problem()),
       .generated = fetched->generated,
       .origin = {version.text, fetched->state},
       .facts = sink.take_facts(),
       .fetched_at = context_.dependencies.clock.now(),
       .immutable = version.immutable});
}

Result<Leased> Preparation::read_in_place(const std::filesystem::path& root,
                                          const std::string& display) {
  if (!source_.folder || !source_.folder->is(root)) {
    source_.folder = std::make_unique<Folder>(root, kInPlaceRules);
    source_.note_folder(root);
    // The system limits watches; those of removed folders are given back.
    context_.runs.in_background(
        [&sources = context_.sources](const std::stop_token&) { sources.forget_gone_folders(); });
  }
  run_.close();
  const auto scanned = source_.folder->scan(context_.options.limits, context_.dependencies.executor,
                                            stop_.get_token());
  if (!scanned) return scanned.error();
  const corpus::TreeState& tree = **scanned;
  const std::string name = snapshot_name(key_, tree.id());
  auto leased = known(name);
  if (!leased) leased = pack(root, tree, name, display);
  if (leased) source_.folder->settle();
  return leased;
}

Result<Leased> Preparation::pack(const std::filesystem::path& root, const corpus::TreeState& tree,
                                 const std::string& name, const std::string& display) {
  const auto building = context_.store.build();
  if (!building) return building.error();
  const Leased* const previous = previous_state();
  const auto fetched_at = context_.dependencies.clock.now();
  Space::Reservation space(context_.space, key_);
  Status fits;
  const auto packed = corpus::pack_directory(
      root, tree, previous ? previous->stored->snapshot.get() : nullptr, (*building)->snapshot(),
      context_.options.limits, context_.dependencies.executor, stop_.get_token(),
      [&](const corpus::PackProgress& progress) {
        run_.report({"reading " + root.string(), progress.files, tree.file_count()});
        if (fits) fits = space.cover(disk_usage((*building)->path()));
        if (!fits) stop_.request_stop();
      });
  if (!fits) return fits.error();
  if (!packed) {
    written_ = disk_usage((*building)->path());
    return packed.error();
  }
  return context_.store.publish(
      **building, name,
      {.source = source_text_,
       .version = tree.id(),
       .display = display,
       .notes = with_left_out(ignored_note(tree.file_count(), tree.ignored()), tree.left_out(),
                              tree.secrets() + keys_in(**packed), corpus::scip_problem(**packed)),
       .fetched_at = fetched_at,
       .in_place = true});
}

/// The previous state: in memory, or left by an earlier process. Leased, because files that a new
/// state takes over from it must not be removed meanwhile.
const Leased* Preparation::previous_state() {
  if (source_.damaged) return nullptr;  // other states may share its files
  if (!previous_) {
    auto leased = source_.lease(context_.store);
    const auto newest = leased ? std::nullopt : context_.store.newest(key_);
    if (newest) leased = context_.store.open(newest->name);
    if (leased) previous_ = std::move(*leased);
  }
  return previous_ ? &*previous_ : nullptr;
}

/// Nothing for a folder that is read in place, whose states the host determines.
plugins::LastSnapshot Preparation::last() {
  if (order_.in_place) return {};
  const Leased* const previous = previous_state();
  return previous == nullptr ? plugins::LastSnapshot() : context_.store.last(*previous);
}

Result<Leased> Preparation::known(const std::string& name) {
  if (const auto stored = source_.stored(); stored && stored->name == name) {
    if (auto leased = source_.lease(context_.store)) return leased;
  }
  return context_.store.open(name);
}

Result<Prepared> Preparation::last_known(Error why) {
  if (run_.stop().stop_requested()) {
    return Error{Code::kCancelled, "the preparation was cancelled"};
  }
  if (refused_ || order_.locked || source_.folder) return why;
  const auto newest = context_.store.newest(key_);
  if (!newest) return why;
  const auto leased = context_.store.open(newest->name);
  if (!leased || leased->stored->metadata.in_place) return why;
  context_.store.mark_used(*leased);
  context_.answered(order_, *leased);
  // No pause for a full disk: the user may free space at any time.
  if (!is_disk_full(why)) {
    const auto now = context_.dependencies.clock.steady_now();
    source_.back_off.failed(why.message, now - begun_, now);
  }
  return answer_of(*leased,
                   why.message + "; " + age_of(*leased, context_.dependencies.clock.now()));
}

}  // namespace quarry::resources
