#include "base/json.h"
#include "cli/config_check.h"
#include "cli/connection.h"
#include "plugins/current_call.h"
#include "services/paths.h"

#include <quarry/events.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <unistd.h>
#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

/// Result of a call, passed from the engine's threads to the waiting one. Shared with the
/// callbacks, since a last progress may be told while the result is taken (resources/library.h).
struct WaitingCall {
  Wake wake;
  std::mutex mutex;
  std::vector<std::string> progress;
  std::optional<Result<std::string>> reply;

  template <class Change>
  void put(const Change& change) {
    const std::lock_guard lock(mutex);
    change();
    wake.notify();
  }
  std::pair<std::vector<std::string>, std::optional<Result<std::string>>> take() {
    const std::lock_guard lock(mutex);
    return {std::exchange(progress, {}), std::exchange(reply, {})};
  }
};

class LocalConnection final : public Connection {
 public:
  LocalConnection(engine::EnginePointer engine, Signals& signals)
      : Connection(signals), engine_(std::move(engine)) {}
  ~LocalConnection() override { engine_->shutdown(); }

  Status ask(const std::string& params, const OnAnswer& on_answer) override {
    const auto accepted = engine_->call_and_wait("question.ask", params);
    if (!accepted) return accepted.error();
    const std::string id = (*parse_json(*accepted))["id"];
    const Wake wake;
    const auto reader = engine_->open_reader(id, 0, [&] { wake.notify(); });
    bool is_read = true;
    const auto visit = [&](std::uint64_t, std::string_view type, std::string_view json) {
      is_read = on_answer(type, json) && is_read;
    };
    for (bool stopped = false;;) {
      const quarry_read found = reader->read(1u << 16, visit);
      if (found == QUARRY_READ_END) return {};
      if (is_read || stopped) {
        if (found == QUARRY_READ_MORE) continue;
        if (!signals().wait(wake.fd())) continue;
        if (stopped) return Error{Code::kCancelled, "interrupted"};
      }
      stopped = true;
      engine_->call("question.stop", to_text({{"id", id}}), [](const Result<std::string>&) {});
    }
  }

  Result<std::string> call(const std::string& method, const std::string& params,
                           const OnEvent& on_event) override {
    const auto call = std::make_shared<WaitingCall>();
    const auto handle = engine_->call(
        method, params,
        [call](Result<std::string> reply) { call->put([&] { call->reply = std::move(reply); }); },
        [call](std::string_view json) { call->put([&] { call->progress.emplace_back(json); }); });
    for (bool interrupted = false;;) {
      auto [progress, reply] = call->take();
      for (const std::string& json : progress)
        on_event(name_of(EventType::kResourceProgress), json);
      if (reply && interrupted) return Error{Code::kCancelled, "interrupted"};
      if (reply) return std::move(*reply);
      if (!signals().wait(call->wake.fd())) continue;
      interrupted = true;
      engine_->cancel(handle);
    }
  }

  bool finish_indexes(Terminal& terminal) override {
    return finish([this](std::function<void()> act) { engine_->when_indexed(std::move(act)); },
                  "building indexes for later questions; Ctrl-C leaves them to the next one",
                  terminal);
  }

  bool finish_vectors(Terminal& terminal) override {
    return finish([this](std::function<void()> act) { engine_->when_encoded(std::move(act)); },
                  "encoding passages; Ctrl-C leaves the rest to later questions", terminal);
  }

 private:
  /// Waits until `when` calls its argument; false if interrupted before.
  bool finish(const std::function<void(std::function<void()>)>& when, std::string_view status,
              Terminal& terminal) {
    struct State {
      Wake wake;
      std::atomic<bool> ended = false;
    };
    const auto state = std::make_shared<State>();
    when([state] {
      state->ended = true;
      state->wake.notify();
    });
    constexpr std::chrono::milliseconds kSilent(500);
    if (state->ended) return true;
    if (signals().wait(state->wake.fd(), kSilent)) return false;
    if (state->ended) return true;
    terminal.status(status);
    bool interrupted = false;
    while (!state->ended && !interrupted) {
      interrupted = signals().wait(state->wake.fd()).has_value();
    }
    terminal.clear_status();
    return state->ended;
  }

  engine::EnginePointer engine_;
};

std::map<std::string, std::string> environment() {
  std::map<std::string, std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos)
      out.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return out;
}

std::filesystem::path user_config_directory(const std::map<std::string, std::string>& variables) {
  const auto configured = variables.find("XDG_CONFIG_HOME");
  if (configured != variables.end() && configured->second.starts_with('/')) {
    return std::filesystem::path(configured->second) / "quarry";
  }
  const auto home = variables.find("HOME");
  if (home == variables.end() || home->second.empty()) return {};
  return std::filesystem::path(home->second) / ".config/quarry";
}

}  // namespace

config::Sources config_sources(const CommonOptions& common) {
  config::Sources sources;
  // Empty if it was removed: then there is no project file.
  std::error_code removed;
  sources.working_directory = std::filesystem::current_path(removed);
  sources.environment = environment();
  sources.user_directory = user_config_directory(sources.environment);
  sources.file = common.config_file;
  sources.flags = common.settings;
  // Without a state directory nothing is trusted; verbs that need it name the wrong variable.
  const auto roots = services::Paths::roots();
  if (roots) sources.trust_directory = roots->state / "trusted";
  sources.open_fields = [](const std::vector<std::filesystem::path>& plugin_path) {
    return open_fields(offered_types(find_plugins(plugin_path)));
  };
  return sources;
}

std::filesystem::path program_path() {
  return std::filesystem::read_symlink("/proc/self/exe");
}

std::filesystem::path own_plugin_directory() {
  auto directory = program_path().parent_path().parent_path() / "lib/quarry/plugins";
  std::error_code ignored;
  return std::filesystem::exists(directory, ignored) ? directory : std::filesystem::path();
}

std::filesystem::path installed_plugin_directory() {
  const auto roots = services::Paths::roots();
  return roots ? roots->installed_plugins() : std::filesystem::path();
}

engine::Options engine_options(const CommonOptions& common) {
  engine::Options options;
  options.config = config_sources(common);
  options.program = program_path();
  if (auto own = own_plugin_directory(); !own.empty()) options.plugin_directories = {own};
  options.installed_plugins = installed_plugin_directory();
  return options;
}

Result<engine::EnginePointer> start_engine(Terminal& terminal, const CommonOptions& common,
                                           const EngineRequirements& requirements) {
  plugins::report_crashes();
  engine::Options options = engine_options(common);
  options.locked = requirements.locked;
  options.store = requirements.store;
  options.transports = requirements.transports;
  options.watch = requirements.watch;
  options.serves = requirements.serves;
  options.on_end = requirements.on_end;
  const auto warn = [&](const std::string& problem) { terminal.note("warning: " + problem); };
  options.on_plugin_problem = [&](const Error& problem) { warn(with_hint(problem)); };
  auto engine = engine::Engine::start(std::move(options));
  if (!engine) return with_other_mistakes(std::move(engine).error(), common);
  if (requirements.quiet || requirements.serves) return engine;
  for (const std::string& problem : (*engine)->problems()) warn(problem);
  return engine;
}

Result<StartedStore> start_store(Terminal& terminal, const CommonOptions& common) {
  auto engine = start_engine(terminal, common, {.store = true, .quiet = true});
  if (!engine) return std::move(engine).error();
  plugins::Store* const store = (*engine)->store();
  if (store != nullptr) return StartedStore{std::move(*engine), *store};
  return Error{Code::kUnsupported, "no plugin offers the store of the configuration",
               "Set provider of [store] to one that \"quarry plugins list\" shows."}
      .tagged("ConfigError");
}

Result<std::unique_ptr<Connection>> connect_to_engine(Context& context,
                                                      const EngineRequirements& requirements) {
  auto engine = start_engine(context.terminal, context.common, requirements);
  if (!engine) return std::move(engine).error();
  return std::make_unique<LocalConnection>(std::move(*engine), context.signals);
}

}  // namespace quarry::cli
