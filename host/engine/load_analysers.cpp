#include "engine/load_analysers.h"

#include "engine/load_plugins.h"
#include "engine/registry_options.h"
#include "runner/strikes.h"

#include <quarry/draft/symbols.h>

#include <algorithm>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

namespace quarry::engine {
namespace {

bool offers_analyser(const plugins::Manifest& manifest) {
  return std::ranges::any_of(
      manifest.components, [](const auto& component) { return component.kind == QUARRY_SYMBOLS; });
}

/// A crash is the fault of a stranger's file as a rule, and Analysers does not read that file
/// again: there is no delay, and no list keeps the quarantine.
constexpr runner::CrashLimits kCrashes{.most = 30, .first_delay = std::chrono::seconds(0)};

/// Finds and loads the plugins, apart from those that the state has loaded.
class Loader {
 public:
  Loader(const CurrentState& state, const Options& options, HostServices& host_services)
      : state_(state), options_(options), host_services_(host_services) {}

  std::vector<OfferedAnalyser> find() const {
    const auto now = state_.now();
    auto registry = options_for(*now);
    if (!registry) return {};
    registry->wanted = [](const auto& manifest, const auto&) { return offers_analyser(manifest); };
    std::vector<Error> problems;
    auto offered = offered_analysers(
        plugins::find_wanted(*registry).manifests,
        [loader = *this](const auto& manifest, const auto& name) {
          return loader.load(manifest, name);
        },
        problems);
    for (const Error& problem : problems) {
      host_services_.log.warning("plugins", with_hint(problem));
    }
    return offered;
  }

 private:
  Result<std::shared_ptr<plugins::Analyser>> load(const plugins::Manifest& wanted,
                                                  const std::string& name) const {
    const auto now = state_.now();
    auto options = options_for(*now);
    if (!options) return std::move(options).error();
    options->wanted = [&wanted](const auto& manifest, const auto&) {
      return manifest.path == wanted.path;
    };
    options->isolate = isolation(options_, host_services_.clock, {}, kCrashes, nullptr,
                                 count_crashes(host_services_));
    options->services = service_tables(host_services_);
    options->abandoned = host_services_.abandoned;
    options->retire = [&retirement = host_services_.retirement](std::function<void()> job) {
      retirement.post(std::move(job));
    };
    const auto registry = plugins::Registry::load(std::move(*options));
    auto made = registry->make_analyser(name, "{}");
    const auto& problems = registry->problems();
    const bool is_loaded = !registry->plugins().empty();
    if (!made && !is_loaded && !problems.empty()) return problems.front();
    return made;
  }

  [[nodiscard]] Result<plugins::RegistryOptions> options_for(const State& now) const {
    const auto directory = host_services_.paths.state();
    if (!directory) return directory.error();
    return registry_options(now.config, options_, *directory, host_services_.clock);
  }

  const CurrentState& state_;
  const Options& options_;
  HostServices& host_services_;
};

void run_after(HostServices& host_services, std::chrono::seconds time, std::function<void()> job) {
  const auto timer = std::make_shared<boost::asio::steady_timer>(host_services.io, time);
  timer->async_wait([timer, &workers = host_services.workers,
                     job = std::move(job)](const boost::system::error_code& failed) {
    if (!failed) workers.submit(job);
  });
}

}  // namespace

std::unique_ptr<Analysers> make_analysers(const CurrentState& state, const Options& options,
                                          HostServices& host_services) {
  const Loader loader(state, options, host_services);
  return std::make_unique<Analysers>(Analysers::Parts{
      .find = [loader] { return loader.find(); },
      .plugins = [&state]() -> std::weak_ptr<const void> { return state.now()->plugins; },
      .retire = [&retirement = host_services.retirement](
                    std::function<void()> job) { retirement.post(std::move(job)); },
      .after =
          [&host_services](std::chrono::seconds time, std::function<void()> job) {
            boost::asio::post(host_services.io, [&host_services, time, job = std::move(job)] {
              run_after(host_services, time, job);
            });
          },
      .clock = host_services.clock});
}

}  // namespace quarry::engine
