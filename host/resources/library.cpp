#include "resources/library.h"

#include "resources/look.h"
#include "resources/normalise.h"
#include "resources/preparation.h"
#include "services/growing_pool.h"

#include <map>
#include <string>

#include <nlohmann/json.hpp>

namespace quarry::resources {
namespace {

constexpr auto kRepairPause = std::chrono::minutes(1);

class DiskLibrary final : public Library {
 public:
  ~DiskLibrary() override { store_->on_damage(nullptr); }
  DiskLibrary(Options options, Surroundings surroundings, std::unique_ptr<Store> store)
      : options_(std::move(options)),
        surroundings_(std::move(surroundings)),
        store_(std::move(store)),
        caches_(options_.plugin_caches, options_.crash_point),
        eviction_(
            *store_, caches_, surroundings_.problem, [this] { sources_.forget_gone(); },
            [this] { return last_states_.names(surroundings_.clock.steady_now()); }),
        space_(eviction_, caches_, options_.max_bytes),
        sources_(options_.open_sources),
        workshop_(options_, surroundings_, *store_, eviction_, space_, last_states_, charges_,
                  flights_),
        fetches_("quarry-fetch", options_.all_fetches),
        flights_({fetches_, folders_, looks_, upkeep_},
                 [this](const Order& order, Flight& flight) {
                   return Preparation(workshop_, order, flight).run();
                 },
                 {options_.all_fetches, options_.fetches, options_.fetches_of_host}) {
    store_->on_damage([this](const DamageReports::Report& report) { repair(report); });
    flights_.in_background([this](const std::stop_token&) {
      store_->sweep_leftovers();
      caches_.sweep_leftovers();
      eviction_.shrink_to(options_.max_bytes);
    });
  }

  Result<Json> normalise(const Json& resource, Schema::Unknown unknown) override {
    return resources::normalise(surroundings_.types(), resource, unknown);
  }

  Result<std::optional<Json>> parse_reference(std::string_view reference) override {
    return resources::parse_reference(surroundings_.types(), reference);
  }

  void prepare(const Json& resource, const Wish& wish, std::stop_token stop, OnProgress progress,
               OnPrepared done) override {
    done = naming(resource, std::move(done));
    if (flights_.closing()) return done(closing_error());
    const auto refresh = refresh_of(resource);
    if (!refresh) return done(refresh.error());
    Request request{order_of(resource, wish), wish.freshness,      *refresh,       {wish.project},
                    std::move(stop),          std::move(progress), std::move(done)};
    if (wish.freshness == Freshness::kSync && !wish.locked) return flights_.join(request);
    if (request.order.source->stored()) return answer_or_ask(request);
    // The first look at a source reads from the disk.
    flights_.look([this, request](const std::stop_token&) { answer_or_ask(request); },
                  [done = request.done] { done(closing_error()); });
  }

  Result<std::uint64_t> clear(const std::optional<Json>& resource) override {
    const std::string source = resource ? source_of(*resource) : "";
    const std::string key = resource ? source_key(source) : "";
    sources_.forget(source);
    charges_.let_go(key);
    const auto cleared = store_->clear(key);
    sources_.forget_gone();
    if (!cleared || resource) return cleared;
    store_->sweep_leftovers();
    const Status emptied = caches_.clear();
    if (!emptied) return emptied.error();
    return cleared;
  }

  void shutdown() override {
    store_->on_damage(nullptr);
    flights_.shutdown();
  }

 private:
  /// A run is shared; name and words for people are each question's own.
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
        result.error().tag = "CollectionError";
      }
      done(std::move(result));
    };
  }

  /// A locked version is a source of its own: whatever else is current, it stays.
  Order order_of(const Json& resource, const Wish& wish) {
    std::string key = source_of(resource, wish.project);
    auto locked = wish.locked;
    if (locked) {
      locked->immutable = true;
      key += '\n' + identity_of(*locked);
    }
    auto source = sources_.get(key);
    source->note_asked(resource, wish);
    return {without_host_members(resource),
            std::move(key),
            is_in_place(resource, wish.project),
            std::move(locked),
            std::move(source),
            wish.project};
  }

  [[nodiscard]] bool is_in_place(const Json& resource, const std::string& project) const {
    const auto types = types_for(surroundings_, project);
    const auto type = types.find(resource.value("type", ""));
    return type != types.end() && type->second->describe().in_place;
  }

  /// An open snapshot was found to be damaged. Who reads it reads on; whoever asks next gets one
  /// that is made anew, which begins now.
  void repair(const DamageReports::Report& report) {
    const auto sources = sources_.holding(report.name);
    if (report.damage == corpus::Damage::kIndex) {
      surroundings_.problem("an index of the snapshot " + report.name +
                            " in the cache is damaged and is built again");
      for (const auto& source : sources) {
        const auto leased = source->lease(*store_);
        if (leased) workshop_.look_after(*leased, Workshop::Came::kBefore);
      }
      return;
    }
    surroundings_.problem("the snapshot " + report.name +
                          " in the cache is damaged and is made again");
    for (const auto& source : sources) source->damaged = true;
    store_->set_aside(report.name, report.identity);
    if (!may_repair(report.name)) return;
    for (const auto& source : sources) make_again(*source);
  }

  /// Not without pause: on a disk that fails, what is made again is damaged again. The next
  /// question about the source makes it in any case. One call at a time (DamageReports).
  bool may_repair(const std::string& name) {
    const auto now = surroundings_.clock.steady_now();
    std::erase_if(repaired_at_, [&](const auto& one) { return now - one.second >= kRepairPause; });
    return repaired_at_.emplace(name.substr(0, name.find('.')), now).second;
  }

  void make_again(const Source& source) {
    const auto asked = source.asked();
    if (!asked) return;
    prepare(asked->resource, {Freshness::kPolicy, asked->wish.locked, asked->wish.project}, {},
            nullptr, [this](const Result<Prepared>& result) {
              if (result || flights_.closing()) return;
              surroundings_.problem("a damaged snapshot could not be made again: " +
                                    result.error().message);
            });
  }

  void answer_or_ask(const Request& request) {
    if (auto prepared = look(workshop_, request)) return request.done(std::move(*prepared));
    flights_.join(request);
  }

  const Options options_;
  const Surroundings surroundings_;
  std::map<std::string, Clock::Steady> repaired_at_;  // by source; of the last while
  const std::unique_ptr<Store> store_;
  PluginCaches caches_;
  LastStates last_states_;
  Eviction eviction_;
  Space space_;
  Sources sources_;
  Charges charges_;
  const Workshop workshop_;
  // A slow source keeps nobody from reading what is there, nor does a slow disk of a folder.
  services::GrowingPool fetches_;
  services::GrowingPool folders_{"quarry-folder", 32};
  services::GrowingPool looks_{"quarry-look", 4};
  services::GrowingPool upkeep_{"quarry-upkeep", 4};
  Flights flights_;  // last: it ends first, and waits for whoever uses the others
};

}  // namespace

Result<std::unique_ptr<Library>> make_library(Options options, Surroundings surroundings) {
  auto store = Store::open(options.cache_directory, surroundings.clock, surroundings.problem,
                           options.crash_point);
  if (!store) return std::move(store).error();
  return std::make_unique<DiskLibrary>(std::move(options), std::move(surroundings),
                                       std::move(*store));
}

}  // namespace quarry::resources
