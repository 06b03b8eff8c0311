#include "resources/library.h"

#include "resources/look.h"
#include "resources/normalise.h"
#include "resources/preparation.h"
#include "services/workers.h"

#include <nlohmann/json.hpp>

namespace quarry::resources {
namespace {

class DiskLibrary final : public Library {
 public:
  DiskLibrary(Options options, Surroundings surroundings, std::unique_ptr<Store> store)
      : options_(std::move(options)),
        surroundings_(std::move(surroundings)),
        store_(std::move(store)),
        caches_(options_.plugin_caches, options_.crash_point),
        eviction_(*store_, caches_, surroundings_.problem, [this] { sources_.forget_gone(); }),
        sources_(options_.open_sources),
        workshop_(options_, surroundings_, *store_, eviction_, charges_, flights_),
        fetchers_(options_.fetches),
        flights_(fetchers_, [this](const Order& order, Flight& flight) {
          return Preparation(workshop_, order, flight).run();
        }) {
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
    Request request{order_of(resource, wish), wish.freshness,      *refresh,
                    std::move(stop),          std::move(progress), std::move(done)};
    if (wish.freshness == Freshness::kSync && !wish.locked) return flights_.join(request);
    if (request.order.source->stored()) return answer_or_ask(request);
    // The first look at a source reads from the disk.
    flights_.in_background([this, request](const std::stop_token&) { answer_or_ask(request); },
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

  void shutdown() override { flights_.shutdown(); }

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
    std::string key = source_of(resource);
    auto locked = wish.locked;
    if (locked) {
      locked->immutable = true;
      key += '\n' + identity_of(*locked);
    }
    auto source = sources_.get(key);
    return {without_host_members(resource), std::move(key), std::move(locked), std::move(source)};
  }

  void answer_or_ask(const Request& request) {
    if (auto prepared = look(workshop_, request)) return request.done(std::move(*prepared));
    flights_.join(request);
  }

  const Options options_;
  const Surroundings surroundings_;
  const std::unique_ptr<Store> store_;
  PluginCaches caches_;
  Eviction eviction_;
  Sources sources_;
  Charges charges_;
  const Workshop workshop_;
  services::WorkerPool fetchers_;  // a slow source keeps nobody from reading what is there
  Flights flights_;                // last: it ends first, and waits for whoever uses the others
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
