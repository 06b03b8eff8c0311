// Throughput of a store, through its plugin as a host calls it: on an SQLite file and on a
// PostgreSQL server, both of which keep commits over a loss of power; by one caller, and by eight
// at once.
#include "base/file.h"
#include "plugins/registry.h"
#include "store-postgresql/testing/server.h"

#include <atomic>
#include <filesystem>
#include <quarry_places.h>

#include <benchmark/benchmark.h>

namespace {

namespace fs = std::filesystem;
namespace plugins = quarry::plugins;
using quarry::Json;
using quarry::store_postgresql::Server;

constexpr int kTokens = 1000;

std::string unique_id() {
  static std::atomic<std::int64_t> last = 0;
  return std::to_string(++last);
}
std::string hash(std::int64_t number) {
  const std::string digits = std::to_string(number);
  return std::string(64 - digits.size(), '0') + digits;
}

/// A store with a project and many tokens.
std::shared_ptr<plugins::Store> filled(std::shared_ptr<plugins::Store> store) {
  store->open({}).value();
  store->create_project({}, {"docs", {}, {}}).value();
  for (int i = 0; i < kTokens; ++i) {
    plugins::TokenRecord token;
    token.id = std::to_string(i);
    token.projects = {"docs"};
    store->create_token({}, token, hash(i)).value();
  }
  return store;
}

std::unique_ptr<plugins::Registry> load() {
  plugins::RegistryOptions options;
  options.directories = {fs::path(QUARRY_BUILD_DIR) / "lib/quarry/plugins"};
  options.own_directories = 1;
  options.wanted = [](const plugins::Manifest& manifest, const std::vector<plugins::Manifest>&) {
    return manifest.id.starts_with("io.quarry.store-");
  };
  return plugins::Registry::load(std::move(options));
}

/// Both stores, with the file and the server that they use.
struct Stores {
  fs::path directory = *quarry::make_temp_directory(fs::temp_directory_path(), "quarry-bench-");
  Server server{true};
  std::unique_ptr<plugins::Registry> registry = load();
  std::shared_ptr<plugins::Store> sqlite = filled(
      registry
          ->make_store("sqlite", quarry::to_text(Json{{"file", (directory / "store.db").string()}}))
          .value());
  std::shared_ptr<plugins::Store> postgresql = filled(
      registry->make_store("postgresql", quarry::to_text(Json{{"url", server.new_database()}}))
          .value());
  ~Stores() { fs::remove_all(directory); }
};

Stores& stores() {
  static Stores all;
  return all;
}

using Work = void (*)(plugins::Store& store);

void find_token(plugins::Store& store) {
  static std::atomic<int> next = 0;
  store.find_token({}, hash(next++ % kTokens)).value();
}

void exchange(plugins::Store& store) {
  thread_local const std::string kHost = unique_id();
  plugins::HostActivity activity{kHost, quarry::Clock::Wall(std::chrono::hours(1)), 60, {}, {}};
  for (int i = 0; i < 10; ++i) {
    activity.requests.push_back({std::to_string(i), 1, 60});
    activity.streams.push_back({std::to_string(i), 1, 0});
  }
  store.exchange({}, activity).value();
}

void reserve_and_settle(plugins::Store& store) {
  plugins::Reservation wanted;
  wanted.id = unique_id();
  wanted.token = std::to_string(std::stoll(wanted.id) % kTokens);
  wanted.project = "docs";  // the same for all
  wanted.amount = {100};
  store.reserve({}, wanted).value();
  store.settle({}, wanted.id, {50}).value();
}

void add_resource(plugins::Store& store) {
  const Json resource{{"type", "git"}, {"name", unique_id()}, {"url", "https://example.com/a"}};
  store.add_resource({}, "docs", resource, 1'000'000).value();
}

void run(benchmark::State& state, std::shared_ptr<plugins::Store> Stores::*store, Work work) {
  plugins::Store& chosen = *(stores().*store);
  for (auto _ : state) work(chosen);
  state.SetItemsProcessed(state.iterations());
}

void register_all() {
  for (const auto& [work_name, work] : {std::pair<std::string, Work>("find_token", find_token),
                                        {"exchange", exchange},
                                        {"reserve_and_settle", reserve_and_settle},
                                        {"add_resource", add_resource}}) {
    for (const auto& [store_name, store] :
         {std::pair("sqlite", &Stores::sqlite), {"postgresql", &Stores::postgresql}}) {
      for (const int callers : {1, 8}) {
        benchmark::RegisterBenchmark((work_name + "/" + store_name).c_str(), run, store, work)
            ->Threads(callers)
            ->UseRealTime();
      }
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  register_all();
  benchmark::Initialize(&count, arguments);
  benchmark::RunSpecifiedBenchmarks();
}
