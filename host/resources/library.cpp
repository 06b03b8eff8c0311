#include "resources/library.h"

#include "resources/normalise.h"
#include "resources/preparation.h"

#include <nlohmann/json.hpp>

namespace quarry::resources {
namespace {

class DiskLibrary final : public Library {
 public:
  DiskLibrary(Options options, Surroundings surroundings, std::unique_ptr<Store> store)
      : options_(std::move(options)),
        surroundings_(std::move(surroundings)),
        store_(std::move(store)),
        sources_(options_.open_sources),
        flights_(surroundings_.executor,
                 [this](const Json& resource, Flight& flight) { return run(resource, flight); }) {
    flights_.in_background([this](const std::stop_token&) { store_->sweep_leftovers(); });
  }

  Result<Json> normalise(const Json& resource, Schema::Unknown unknown) override {
    return resources::normalise(surroundings_.types(), resource, unknown);
  }

  Result<std::optional<Json>> parse_reference(std::string_view reference) override {
    return resources::parse_reference(surroundings_.types(), reference);
  }

  void prepare(const Json& resource, std::stop_token stop, OnProgress progress,
               OnPrepared done) override {
    std::string name = resource.value("name", "");
    flights_.join(source_of(resource), resource, std::move(stop), std::move(progress),
                  [name = std::move(name), text = to_text(resource), done = std::move(done)](
                      Result<Prepared> result) { done(named(std::move(result), name, text)); });
  }

  Result<std::uint64_t> clear() override {
    sources_.forget_all();
    return store_->clear();
  }

  void shutdown() override { flights_.shutdown(); }

 private:
  /// A run is shared; name and words for people are each question's own.
  static Result<Prepared> named(Result<Prepared> result, const std::string& name,
                                const std::string& text) {
    if (result) {
      result->name = name;
      result->resource = text;
    } else if (result.error().code != Code::kCancelled) {
      result = std::move(result).error().in("resource \"" + name + '"');
      result.error().tag = "CollectionError";
    }
    return result;
  }

  Result<Prepared> run(const Json& resource, Flight& flight) {
    const std::string text = source_of(resource);
    const auto source = sources_.get(text);
    return Preparation({options_, surroundings_, *store_, flights_}, resource, text, *source,
                       flight)
        .run();
  }

  const Options options_;
  const Surroundings surroundings_;
  const std::unique_ptr<Store> store_;
  Sources sources_;
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
