#include "engine/running_engine.h"

#include "ask/conversation.h"
#include "ask/event_log.h"
#include "base/text.h"
#include "corpus/query/citations.h"
#include "corpus/tools/tools.h"
#include "engine/wanted_plugins.h"
#include "history/history.h"

#include <algorithm>

#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>
#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

/// A cursor into the events of a question, which it keeps alive.
class QuestionReader final : public Reader {
 public:
  explicit QuestionReader(std::unique_ptr<ask::EventCursor> cursor) : cursor_(std::move(cursor)) {}
  quarry_read read(std::size_t max_bytes, const Visit& visit) override {
    return cursor_->read(max_bytes, visit);
  }

 private:
  std::unique_ptr<ask::EventCursor> cursor_;
};

}  // namespace

/// Exactly one of `at_once`, `on_worker`, `until_stopped` and `begin` is set; it runs unless
/// `if_in_memory` is set and returns an answer.
struct RunningEngine::Method {
  std::string_view name;
  std::optional<Answer> (RunningEngine::*if_in_memory)(std::string_view params) = nullptr;
  Answer (RunningEngine::*at_once)(std::string_view params) = nullptr;
  Answer (RunningEngine::*on_worker)(std::string_view params) = nullptr;
  /// Stops early when the call is cancelled.
  Answer (RunningEngine::*until_stopped)(std::string_view params, const std::stop_token&) = nullptr;
  void (RunningEngine::*begin)(std::string_view params, const Task& task) = nullptr;
};

const std::vector<RunningEngine::Method>& RunningEngine::methods() {
  static const std::vector<Method> table = {
      {.name = "health", .at_once = &RunningEngine::health},
      {.name = "resources.list",
       .if_in_memory = &RunningEngine::list_resources_at_once,
       .on_worker = &RunningEngine::list_resources},
      {.name = "schemas", .at_once = &RunningEngine::schemas},
      {.name = "config.show", .at_once = &RunningEngine::show_config},
      {.name = "question.stop", .at_once = &RunningEngine::stop_question},
      {.name = "metrics", .at_once = &RunningEngine::metrics},
      {.name = "resources.add", .on_worker = &RunningEngine::add_resource},
      {.name = "resources.remove", .on_worker = &RunningEngine::remove_resource},
      {.name = "resources.recognise", .on_worker = &RunningEngine::recognise_resource},
      {.name = "resources.sync", .begin = &RunningEngine::sync_resources},
      {.name = "resources.lock", .begin = &RunningEngine::lock_resources},
      {.name = "config.reload", .on_worker = &RunningEngine::reload_config},
      {.name = "models.list", .until_stopped = &RunningEngine::list_models},
      {.name = "models.select", .until_stopped = &RunningEngine::select_model},
      {.name = "cache.clear", .on_worker = &RunningEngine::clear_cache},
      {.name = "question.ask", .until_stopped = &RunningEngine::ask},
      {.name = "usage.report", .on_worker = &RunningEngine::report_usage},
      {.name = "threads.list", .on_worker = &RunningEngine::list_threads},
      {.name = "threads.show", .on_worker = &RunningEngine::show_thread},
      {.name = "threads.remove", .on_worker = &RunningEngine::remove_thread},
      {.name = "host.end", .at_once = &RunningEngine::end_host},
      {.name = "access.admit",
       .if_in_memory = &RunningEngine::admit_at_once,
       .on_worker = &RunningEngine::admit},
      {.name = "access.record",
       .if_in_memory = &RunningEngine::record_at_once,
       .on_worker = &RunningEngine::record_call},
      {.name = "sessions.open", .on_worker = &RunningEngine::open_session},
      {.name = "sessions.check", .on_worker = &RunningEngine::check_session},
      {.name = "sessions.end", .on_worker = &RunningEngine::end_session},
      {.name = "projects.create", .on_worker = &RunningEngine::create_project},
      {.name = "projects.list", .on_worker = &RunningEngine::list_projects},
      {.name = "projects.remove", .on_worker = &RunningEngine::remove_project},
      {.name = "projects.secrets.set", .on_worker = &RunningEngine::set_project_secret},
      {.name = "projects.secrets.list", .on_worker = &RunningEngine::list_project_secrets},
      {.name = "projects.secrets.remove", .on_worker = &RunningEngine::remove_project_secret},
      {.name = "tokens.create", .on_worker = &RunningEngine::create_token},
      {.name = "tokens.list", .on_worker = &RunningEngine::list_tokens},
      {.name = "tokens.revoke", .on_worker = &RunningEngine::revoke_token},
  };
  return table;
}

RunningEngine::RunningEngine(Options options, std::unique_ptr<HostServices> host_services)
    : options_(std::move(options)),
      host_services_(std::move(host_services)),
      calls_(host_services_->workers),
      prices_({.catalogues =
                   [this] {
                     const auto now = state();
                     return now->config.refresh_prices ? now->pricing
                                                       : plugins::PricingCatalogues();
                   },
               .warn =
                   [this](std::string_view problem) {
                     host_services_->log.warning("prices", problem);
                   }}),
      table_(*this) {}

RunningEngine::~RunningEngine() {
  close({});
}

Status RunningEngine::begin(config::Config config) {
  auto state = make_state(std::move(config), *host_services_, options_.locked);
  if (!state) return std::move(state).error();
  if (Status put = activate(std::move(*state)); !put) return put;
  auto cache = host_services_->paths.cache();
  if (!cache) return std::move(cache).error();
  auto library = resources::make_library(
      {.cache_directory = *cache,
       .max_bytes = state_->config.cache.max_bytes,
       .plugin_caches = *cache / "plugins",
       .limits = {}},
      {[this] { return this->state()->types; }, host_services_->workers, host_services_->clock,
       [this](std::string_view problem) { host_services_->log.warning("resources", problem); },
       [this] { return this->state()->types_for_tokens; }});
  if (!library) return std::move(library).error();
  library_ = std::move(*library);
  services_ = std::make_unique<ask::QuestionServices>(
      ask::QuestionServices{host_services_->io, host_services_->wakes, host_services_->workers,
                            *library_, host_services_->clock, ask::tools_json(corpus::tools()),
                            [this](const corpus::Collection& collection, std::string_view tool,
                                   const Json& arguments, std::stop_token stop) {
                              return corpus::run_tool(collection, tool, arguments,
                                                      host_services_->workers, std::move(stop));
                            },
                            corpus::check_citations});
  if (Status begun = begin_history(*services_); !begun) return begun;
  services_->record = [this, keep = services_->record](const ask::Record& record) {
    if (!record.bearer.empty()) expenses_.add(record);
    keep(record);
  };
  gate_ = std::make_unique<Gate>(access::Access::Parts{
      host_services_->store, host_services_->clock, state_->config.access,
      [this](const Error& error) { host_services_->log.warning("access", error.message); },
      [this](const std::string& token) { question_registry_->stop_all_of(token); }});
  question_registry_ = std::make_unique<QuestionRegistry>(*services_);
  work_.emplace(boost::asio::make_work_guard(host_services_->io));
  io_loop_ =
      std::make_unique<services::NamedLoop>("quarry-io", [this] { host_services_->io.run(); });
  return {};
}

std::uint64_t RunningEngine::call(std::string_view method, std::string_view params, Reply reply,
                                  OnProgress progress) {
  const auto found = std::find_if(methods().begin(), methods().end(),
                                  [&](const Method& known) { return known.name == method; });
  if (found == methods().end()) {
    reply(Error{Code::kNotFound, "there is no method \"" + std::string(method) + "\""}.tagged(
        "NotFound"));
    return calls_.answered();
  }
  if (found->if_in_memory != nullptr) {
    if (auto answer = (this->*found->if_in_memory)(params)) {
      reply(std::move(*answer));
      return calls_.answered();
    }
  }
  if (found->at_once != nullptr) {
    reply((this->*found->at_once)(params));
    return calls_.answered();
  }
  std::string text(params);
  if (found->begin != nullptr) {
    return calls_.begin(
        [this, found, text = std::move(text), progress = std::move(progress)](
            const std::stop_token& stop, Reply finish) {
          (this->*found->begin)(text, {stop, progress, std::move(finish)});
        },
        std::move(reply));
  }
  return calls_.run(
      [this, found, text = std::move(text)](const std::stop_token& stop) {
        if (found->until_stopped != nullptr) return (this->*found->until_stopped)(text, stop);
        return (this->*found->on_worker)(text);
      },
      std::move(reply));
}

std::unique_ptr<Reader> RunningEngine::open_reader(std::string_view question, std::uint64_t after,
                                                   std::function<void()> wake) {
  const auto log = question_registry_->log_of(question);
  if (!log) return nullptr;
  return std::make_unique<QuestionReader>(log->open(after, std::move(wake)));
}

Result<std::vector<std::string>> RunningEngine::start_transports(
    const std::vector<std::string>& only) {
  const auto now = state();
  refresh_prices(*now);
  if (gate_->has_store()) {
    if (const auto access = gate_->open(); !access) return access.error();
  }
  std::vector<std::string> listening;
  const auto enabled = enabled_transports(now->config, host_services_->registry->plugins());
  for (const std::string& wanted : only) {
    if (std::ranges::find(enabled, wanted) != enabled.end()) continue;
    return Error{Code::kNotFound, "no plugin offers the transport \"" + wanted + "\"",
                 "\"quarry plugins list\" shows what is installed."}
        .tagged("ConfigError");
  }
  for (const std::string& name : enabled) {
    if (!only.empty() && std::ranges::find(only, name) == only.end()) continue;
    const auto table = now->config.transports.find(name);
    const bool configured = table != now->config.transports.end();
    auto transport =
        host_services_->registry->make_transport(name, configured ? table->second.json : "{}");
    auto started = transport ? (*transport)->start(table_.get())
                             : Result<std::vector<std::string>>(transport.error());
    if (!started) {
      for (const auto& running : transports_) running->stop({});
      transports_.clear();
      Error error = std::move(started).error().in("transport " + name).tagged("ConfigError");
      if (!configured) return error;
      return error.details.empty() ? error : config::at_places(std::move(error), table->second);
    }
    listening.insert(listening.end(), started->begin(), started->end());
    transports_.push_back(std::move(*transport));
  }
  return listening;
}

std::vector<std::string> RunningEngine::problems() const {
  std::vector<std::string> out;
  for (const Error& problem : host_services_->registry->problems()) {
    out.push_back(problem.message + (problem.hint.empty() ? "" : " (" + problem.hint + ")"));
  }
  const auto now = state();
  out.insert(out.end(), now->problems.begin(), now->problems.end());
  if (const auto problem = history_->problem()) {
    out.push_back(problem->message + " (" + problem->hint + ")");
  }
  return out;
}

void RunningEngine::refresh_prices(const State& state) {
  if (state.models->costs() && state.config.refresh_prices) prices_.wake();
}

void RunningEngine::shutdown() {
  close(state()->config.server.shutdown_grace);
}

void RunningEngine::close(std::chrono::milliseconds grace) {
  std::call_once(shut_down_, [&] {
    prices_.stop();
    if (question_registry_) question_registry_->close(grace);
    // Readers must get the last event before their transport ends.
    for (const auto& transport : transports_) transport->stop(grace);
    transports_.clear();
    calls_.close();
    if (library_) library_->shutdown();
    // Workers may wait for a transfer, so the I/O thread ends last.
    host_services_->workers.shutdown();
    if (history_) history_->flush();
    if (io_loop_) boost::asio::post(host_services_->io, boost::asio::use_future).wait();
    if (gate_) gate_->close();
    work_.reset();
    host_services_->io.stop();
    io_loop_.reset();
  });
}

std::shared_ptr<const State> RunningEngine::state() const {
  std::lock_guard lock(state_mutex_);
  return state_;
}

Result<std::unique_ptr<Engine>> Engine::start(Options options) {
  auto config = config::load(options.config);
  if (!config) return std::move(config).error();
  auto host_services = HostServices::create(*config, options);
  if (!host_services) return std::move(host_services).error();
  auto engine = std::make_unique<RunningEngine>(std::move(options), std::move(*host_services));
  if (Status begun = engine->begin(std::move(*config)); !begun) return std::move(begun).error();
  return engine;
}

}  // namespace quarry::engine
