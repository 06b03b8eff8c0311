#include "resources/library.h"

#include "corpus/snapshot/left_out.h"
#include "resources/find_ready.h"
#include "resources/normalise.h"
#include "resources/preparation.h"
#include "services/growing_pool.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <string>
#include <thread>

#include <nlohmann/json.hpp>

namespace quarry::resources {
namespace {

constexpr auto kRepairPause = std::chrono::minutes(1);

std::size_t half_of_processors() {
  return std::max(1u, std::thread::hardware_concurrency() / 2);
}

class DiskLibrary final : public Library {
 public:
  ~DiskLibrary() override { store_->on_damage(nullptr); }
  DiskLibrary(Options options, LibraryDependencies dependencies, std::unique_ptr<Store> store)
      : options_(std::move(options)),
        dependencies_(std::move(dependencies)),
        store_(std::move(store)),
        caches_(options_.plugin_caches, options_.crash_point),
        eviction_(
            *store_, caches_, dependencies_.problem, [this] { sources_.forget_gone(); },
            [this] { return last_states_.names(dependencies_.clock.steady_now()); }),
        space_(eviction_, caches_, options_.max_bytes),
        sources_(options_.open_sources),
        vectors_(dependencies_.encoding, options_.cache_directory, *store_, add_index_stages(),
                 dependencies_.clock, dependencies_.problem),
        context_(options_, dependencies_, *store_, eviction_, space_, last_states_, sources_,
                 index_stages_, vectors_, runs_),
        fetches_("quarry-fetch", options_.all_fetches),
        runs_({fetches_, folders_, checks_, upkeep_},
              [this](const Order& order, PreparationRun& run) {
                return Preparation(context_, order, run).run();
              },
              {options_.all_fetches, options_.fetches, options_.fetches_of_host}) {
    store_->on_damage([this](const DamageReports::Report& report) { repair(report); });
    runs_.in_background([this](const std::stop_token&) {
      store_->sweep_leftovers();
      caches_.sweep_leftovers();
      eviction_.shrink_to(options_.max_bytes);
    });
  }

  Result<Json> normalise(const Json& resource, Schema::Unknown unknown) override {
    return resources::normalise(dependencies_.types(), resource, unknown);
  }

  Result<std::optional<Json>> parse_reference(std::string_view reference) override {
    return resources::parse_reference(dependencies_.types(), reference, dependencies_.problem);
  }

  void prepare(const Json& resource, const PrepareOptions& prepare_options, std::stop_token stop,
               OnProgress progress, OnPrepared done) override {
    done = naming(resource, std::move(done));
    if (runs_.closing()) return done(closing_error());
    vectors_.notice_encoder();
    if (prepare_options.refused) return done(*prepare_options.refused);
    const auto refresh = refresh_of(resource);
    if (!refresh) return done(refresh.error());
    Request request{order_of(resource, prepare_options),
                    prepare_options.freshness,
                    *refresh,
                    {prepare_options.project},
                    std::move(stop),
                    std::move(progress),
                    std::move(done)};
    if (prepare_options.freshness == Freshness::kSync && !prepare_options.locked)
      return runs_.join(request);
    if (request.order.source->stored()) return answer_or_ask(request);
    // The first check of a source reads from the disk.
    runs_.run_check([this, request](const std::stop_token&) { answer_or_ask(request); },
                    [done = request.done] { done(closing_error()); });
  }

  std::optional<Kept> kept(const Json& resource, const PrepareOptions& prepare_options) override {
    const auto name = kept_name(*store_, resource, prepare_options.locked, prepare_options.project);
    if (!name) return std::nullopt;
    const auto leased = store_->open(*name);
    if (!leased) return std::nullopt;
    const Stored& stored = *leased->stored;
    return Kept{.version = stored.metadata.version,
                .display = stored.metadata.display,
                .fetched_at = stored.metadata.fetched_at,
                .current_at = Store::current_at(*leased),
                .files = stored.snapshot->files().size(),
                .bytes = stored.snapshot->text_bytes()};
  }

  Result<std::vector<corpus::IgnoredBy>> left_out(const Prepared& prepared,
                                                  const std::stop_token& stop) override {
    if (prepared.folder.empty()) return std::vector<corpus::IgnoredBy>();
    auto found = corpus::left_out_of(prepared.folder, kInPlaceRules, stop);
    if (!found && found.error().code != Code::kCancelled) {
      return std::move(found).error().tagged("ResourceError");
    }
    return found;
  }

  Result<std::uint64_t> clear(const std::optional<Json>& resource) override {
    const std::string source = resource ? source_of(*resource) : "";
    const std::string key = resource ? source_key(source) : "";
    sources_.forget(source);
    for (IndexStage& stage : index_stages_) stage.leases.release(key);
    vectors_.release(key);
    auto cleared = store_->clear(key);
    sources_.forget_gone();
    if (!cleared || resource) return cleared;
    store_->sweep_leftovers();
    const Status emptied = caches_.clear();
    if (!emptied) return emptied.error();
    return cleared;
  }

  void when_indexed(std::function<void()> act) override { when_idle(0, std::move(act)); }

  void build_symbols() override {
    if (dependencies_.symbols == nullptr || wants_symbols_.exchange(true)) return;
    for (const auto& source : sources_.all()) maintain(*source);
  }

  void when_encoded(std::function<void()> act) override { vectors_.when_done(std::move(act)); }

  void shutdown() override {
    store_->on_damage(nullptr);
    vectors_.shutdown();
    runs_.shutdown();
  }

 private:
  /// Returns the leases of the first stage.
  IndexingLeases& add_index_stages() {
    index_stages_.emplace_back(
        [this](const corpus::Snapshot& snapshot, std::uint32_t segment,
               const std::stop_token& stop) {
          return corpus::build_indexes(snapshot, segment, dependencies_.executor, stop);
        },
        indexes_, [] { return true; });
    index_stages_.emplace_back(
        [this](const corpus::Snapshot& snapshot, std::uint32_t segment,
               const std::stop_token& stop) {
          return corpus::build_symbols(snapshot, segment, *dependencies_.symbols, symbol_readers_,
                                       stop);
        },
        symbols_, [this] { return wants_symbols_.load(); });
    return index_stages_.front().leases;
  }

  /// Calls `act` once no lease of this stage and those after it is left.
  void when_idle(std::size_t stage, std::function<void()> act) {
    if (stage == index_stages_.size()) return act();
    index_stages_[stage].leases.when_idle(
        [this, stage, act = std::move(act)] { when_idle(stage + 1, act); });
  }

  /// Builds what the snapshot of a source lacks, if one is open.
  void maintain(Source& source) {
    const auto leased = source.lease(*store_);
    if (leased) context_.maintain(*leased, PreparationContext::Arrival::kExisting);
  }

  /// A run is shared; the name and the text for people belong to each request.
  static OnPrepared naming(const Json& resource, OnPrepared done) {
    return [name = resource.value("name", ""), resource,
            done = std::move(done)](Result<Prepared> result) {
      if (result) {
        Json shown = result->fields;
        shown.update(resource);
        result->name = name;
        result->resource = to_text(shown);
      } else if (result.error().code != Code::kCancelled) {
        result = std::move(result).error().in("resource \"" + name + '"');
        // A type that no plugin offers is a mistake of the configuration.
        const bool has_no_type = result.error().code == Code::kNotFound;
        if (!has_no_type || result.error().tag != "ConfigError") {
          result.error().tag = "CollectionError";
        }
      }
      done(std::move(result));
    };
  }

  /// A locked version is a source of its own, independent of the current version.
  Order order_of(const Json& resource, const PrepareOptions& prepare_options) {
    std::string key = source_of(resource, prepare_options.project);
    auto locked = prepare_options.locked;
    if (locked) {
      locked->immutable = true;
      key += '\n' + identity_of(*locked);
    }
    auto source = sources_.get(key);
    source->note_asked(resource, prepare_options);
    return {without_host_members(resource),
            std::move(key),
            is_in_place(resource, prepare_options.project),
            std::move(locked),
            std::move(source),
            prepare_options.project};
  }

  [[nodiscard]] bool is_in_place(const Json& resource, const std::string& project) const {
    const auto types = types_for(dependencies_, project);
    const auto type = types.find(resource.value("type", ""));
    return type != types.end() && type->second->describe().in_place;
  }

  /// Handles damage of an open snapshot. Current readers continue; a rebuild starts now, and the
  /// next request gets the rebuilt one.
  void repair(const DamageReports::Report& report) {
    const auto sources = sources_.holding(report.name);
    if (report.damage == corpus::Damage::kIndex) {
      dependencies_.problem("an index of the snapshot " + report.name +
                            " in the cache is damaged and is rebuilt");
      for (const auto& source : sources) maintain(*source);
      return;
    }
    dependencies_.problem("the snapshot " + report.name +
                          " in the cache is damaged and is rebuilt");
    for (const auto& source : sources) source->damaged = true;
    store_->set_aside(report.name, report.identity);
    if (!may_repair(report.name)) return;
    for (const auto& source : sources) rebuild(*source);
  }

  /// Limits the rate: on a failing disk a rebuilt snapshot is damaged again. The next question
  /// about the source rebuilds it in any case. One call at a time (DamageReports).
  bool may_repair(const std::string& name) {
    const auto now = dependencies_.clock.steady_now();
    std::erase_if(repaired_at_, [&](const auto& one) { return now - one.second >= kRepairPause; });
    return repaired_at_.emplace(name.substr(0, name.find('.')), now).second;
  }

  void rebuild(const Source& source) {
    const auto asked = source.asked();
    if (!asked) return;
    prepare(asked->resource,
            {Freshness::kPolicy, asked->prepare_options.locked, asked->prepare_options.project}, {},
            nullptr, [this](const Result<Prepared>& result) {
              if (result || runs_.closing()) return;
              dependencies_.problem("a damaged snapshot could not be rebuilt: " +
                                    result.error().message);
            });
  }

  void answer_or_ask(const Request& request) {
    if (auto prepared = find_ready(context_, request)) return request.done(std::move(*prepared));
    runs_.join(request);
  }

  const Options options_;
  const LibraryDependencies dependencies_;
  std::map<std::string, Clock::Steady> repaired_at_;  // by source; recent ones only
  const std::unique_ptr<Store> store_;
  PluginCaches caches_;
  LastStates last_states_;
  Eviction eviction_;
  Space space_;
  Sources sources_;
  IndexStages index_stages_;
  std::atomic<bool> wants_symbols_ = false;
  VectorBuilder vectors_;
  const PreparationContext context_;
  // Separate pools: neither a slow source nor the slow disk of a folder delays reads of snapshots.
  services::GrowingPool fetches_;
  services::GrowingPool folders_{"quarry-folder", 32};
  services::GrowingPool checks_{"quarry-check", 4};
  services::GrowingPool upkeep_{"quarry-upkeep", 4};
  services::GrowingPool indexes_{"quarry-index", 1};
  services::GrowingPool symbols_{"quarry-symbols", 1};
  // Reading code takes long, so that it never has more than half of the processors.
  services::GrowingPool symbol_readers_{"quarry-symbols", half_of_processors()};
  PreparationRuns runs_;  // last: destroyed first, and waits for users of the other members
};

}  // namespace

Result<std::unique_ptr<Library>> make_library(Options options, LibraryDependencies dependencies) {
  auto store = Store::open(options.cache_directory, dependencies.clock, dependencies.problem,
                           options.crash_point);
  if (!store) return std::move(store).error();
  return std::make_unique<DiskLibrary>(std::move(options), std::move(dependencies),
                                       std::move(*store));
}

}  // namespace quarry::resources
