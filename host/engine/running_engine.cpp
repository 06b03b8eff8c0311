#include "engine/running_engine.h"

#include "ask/event_log.h"
#include "backup/restore.h"
#include "base/text.h"
#include "corpus/query/citations.h"
#include "corpus/query/passage_reranker.h"
#include "corpus/query/question_encoder.h"
#include "engine/load_analysers.h"
#include "engine/load_plugins.h"
#include "engine/methods/all_methods.h"
#include "engine/methods/methods.h"
#include "engine/model_tools.h"
#include "engine/registry_options.h"
#include "engine/request_span.h"
#include "engine/shutdown_watch.h"
#include "engine/tool_table.h"

#include <quarry/draft/symbols.h>
#include <quarry/transport.hpp>

#include <algorithm>

#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>
#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

using Words = services::Redactor::Words;

/// Time for the last spans to reach their collector, and for the last events to reach a successor,
/// however long the rest of a shutdown took.
constexpr std::chrono::milliseconds kLeastFlush{1'000};

std::chrono::milliseconds time_left(std::chrono::steady_clock::time_point deadline) {
  return std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
}

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

/// The error for a method or tool that does not exist.
Error no_method(std::string_view method) {
  constexpr std::string_view kTools = "tools.";
  if (!method.starts_with(kTools)) {
    return Error{Code::kNotFound, "there is no method \"" + std::string(method) + "\""}.tagged(
        "NotFound");
  }
  std::vector<std::string> names;
  for (const ToolRow& row : tool_rows()) names.emplace_back(row.name);
  return Error{Code::kNotFound,
               "there is no tool \"" + std::string(method.substr(kTools.size(), 64)) + "\"",
               "The tools are: " + join(names, ", ") + "."}
      .tagged("NotFound");
}

/// The answer of a row that runs on the calling thread, or has its data in memory.
std::optional<Answer> answer_at_once(const MethodTable::Row& row, const MethodServices& engine,
                                     std::string_view params) {
  const auto* const at_once = std::get_if<AtOnce>(&row.method.run);
  if (at_once == nullptr && !row.method.if_in_memory) return std::nullopt;
  const auto given = row.check.read(params);
  if (!given) return given.error();
  return at_once != nullptr ? at_once->handler(engine, *given)
                            : row.method.if_in_memory(engine, *given);
}

}  // namespace

/// What methods use, with what is theirs besides the parts of the engine.
struct RunningEngine::Methods {
  explicit Methods(RunningEngine& engine)
      : cache_size(engine.host_services_->paths.cache().value_or(std::filesystem::path()),
                   engine.host_services_->workers, engine.host_services_->clock),
        tool_share(engine.host_services_->scoped_workers),
        services{.state = engine.state_,
                 .host = *engine.host_services_,
                 .gate = *engine.gate_,
                 .library = *engine.library_,
                 .history = *engine.history_,
                 .questions = *engine.question_registry_,
                 .prices = engine.prices_,
                 .expenses = engine.expenses_,
                 .cache_size = cache_size,
                 .tool_share = tool_share,
                 .symbols = engine.analysers_.get(),
                 .search_models = engine.search_models_,
                 .problems = [&engine] { return engine.problems(); },
                 .on_end = engine.options_.on_end} {}

  CacheSize cache_size;
  ToolShare tool_share;
  const MethodServices services;
};

RunningEngine::RunningEngine(Options options, HostServicesPointer host_services)
    : options_(std::move(options)),
      host_services_(std::move(host_services)),
      metrics_(host_services_->metrics),
      calls_(host_services_->workers),
      state_(options_, *host_services_),
      prices_(state_, host_services_->log),
      table_(*this) {}

RunningEngine::~RunningEngine() {
  close({});
}

Status RunningEngine::begin(config::Config config, std::shared_ptr<plugins::Registry> registry) {
  if (Status done = state_.begin(std::move(config), std::move(registry)); !done) return done;
  if (state_.now()->plugins->is_offered(QUARRY_SYMBOLS)) {
    analysers_ = make_analysers(state_, options_, *host_services_);
  }
  make_search_models();
  if (Status done = make_library(); !done) return done;
  if (Status done = make_history(); !done) return done;
  services_ = std::make_unique<ask::QuestionServices>(question_services());
  gate_ = std::make_unique<Gate>(access::Access::Parts{
      host_services_->store, host_services_->clock, state_.now()->config.access,
      [this](const Error& error) { host_services_->log.warning("access", error.message); },
      [this](const std::string& token) { question_registry_->stop_all_of(token); }});
  question_registry_ = std::make_unique<QuestionRegistry>(*services_);
  methods_ = std::make_unique<Methods>(*this);
  work_.emplace(boost::asio::make_work_guard(host_services_->io));
  io_loop_ =
      std::make_unique<services::NamedLoop>("quarry-io", [this] { host_services_->io.run(); });
  return {};
}

void RunningEngine::make_search_models() {
  encoding_ = std::make_shared<corpus::Encoding>(
      [this] { return options_.encoder ? options_.encoder : state_.now()->retrieval.encoder; });
  search_models_ = {std::make_shared<corpus::QuestionEncoder>(encoding_, scoped_encodings_),
                    std::make_shared<corpus::PassageReranker>(
                        [this] { return state_.now()->retrieval.reranker; }, scoped_rerankings_)};
}

Status RunningEngine::make_library() {
  auto cache = host_services_->paths.cache();
  if (!cache) return std::move(cache).error();
  auto library = resources::make_library(
      {.cache_directory = *cache,
       .max_bytes = state_.now()->config.cache.max_bytes,
       .plugin_caches = *cache / "plugins",
       .limits = {}},
      {[this] { return state_.now()->types; }, host_services_->workers, host_services_->clock,
       [this](std::string_view problem) { host_services_->log.warning("resources", problem); },
       [this] { return state_.now()->types_for_tokens; }, analysers_.get(), encoding_,
       std::bind_front(&EngineMetrics::fetched, &metrics_)});
  if (!library) return std::move(library).error();
  library_ = std::move(*library);
  return {};
}

Status RunningEngine::make_history() {
  const auto directory = host_services_->paths.state();
  if (!directory) return directory.error();
  history_ = std::make_unique<QuestionHistory>(QuestionHistory::Parts{
      *directory / services::kHistoryFile, host_services_->io, host_services_->workers,
      host_services_->clock,
      [this](std::string_view text) { return host_services_->redactor.redact(text); },
      [this](std::string json) { return host_services_->redactor.redact_json(std::move(json)); },
      [this](const Error& error) {
        host_services_->log.warning("history", error.message + ". " + error.hint);
      },
      [this]() -> std::optional<std::chrono::days> {
        const auto days = state_.now()->config.history.keep_days;
        return days ? std::optional(std::chrono::days(*days)) : std::nullopt;
      }});
  host_services_->retrieval_expenses.use(*history_);
  return {};
}

ask::QuestionServices RunningEngine::question_services() {
  return {host_services_->io,
          host_services_->wakes,
          host_services_->scoped_workers,
          *library_,
          host_services_->clock,
          ask::OfferedTools(model_tools(analysers_ != nullptr)),
          [this](const corpus::Collection& collection, std::string_view tool, const Json& arguments,
                 std::stop_token stop) {
            return run_tool(collection, tool, arguments, std::move(stop));
          },
          corpus::check_citations,
          [this](const ask::Record& record) {
            metrics_.ended(record);
            log_end(record);
            if (!record.bearer.empty()) expenses_.add(record);
            history_->record(record);
          },
          analysers_ != nullptr,
          search_models_,
          [this](EventType type, std::string json) {
            const bool is_error = type == EventType::kError;
            return host_services_->redactor.redact_json(std::move(json),
                                                        is_error ? Words::kReplaced : Words::kLeft);
          }};
}

void RunningEngine::log_end(const ask::Record& record) {
  if (!options_.serves) return;  // who asked is told by the program itself
  auto& log = host_services_->log;
  if (record.failed) {
    log.warning("host", "a question failed: " + record.outcome + ": " + record.problem);
  } else if (log.enabled(services::Level::kDebug)) {
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(record.duration).count();
    log.debug("host", "a question ended: " + record.outcome + ", " +
                          std::to_string(record.calls.size()) + " model calls, " +
                          std::to_string(ms) + " ms");
  }
}

Result<ask::ToolResult> RunningEngine::run_tool(const corpus::Collection& collection,
                                                std::string_view tool, const Json& arguments,
                                                std::stop_token stop) {
  const ToolRow* const row = model_tool(tool);
  if (row == nullptr) return no_model_tool(tool, analysers_ != nullptr);
  const auto begin = host_services_->clock.steady_now();
  auto result = run_model_tool(*row,
                               {.collection = collection,
                                .facts = {},
                                .executor = host_services_->scoped_workers,
                                .stop = std::move(stop),
                                .symbols = analysers_.get(),
                                .form = corpus::PageForm::kText,
                                .default_tokens = corpus::kQuestionTokens},
                               arguments);
  metrics_.used_tool(row->name, !result, host_services_->clock.steady_now() - begin);
  return result;
}

std::uint64_t RunningEngine::call(std::string_view method, std::string_view params, Reply raw_reply,
                                  OnProgress raw_progress) {
  Reply reply = redacted(std::move(raw_reply));
  OnProgress progress = redacted(std::move(raw_progress));
  const MethodTable::Row* const row = all_methods().find(method);
  if (row == nullptr) {
    reply(no_method(method));
    return calls_.answered();
  }
  if (auto answer = answer_at_once(*row, methods_->services, params)) {
    reply(std::move(*answer));
    return calls_.answered();
  }
  return calls_.begin(
      [row, &engine = methods_->services, text = std::string(params),
       progress = std::move(progress), tracer = host_services_->traces.tracer(),
       arrived = host_services_->clock.steady_now()](const std::stop_token& stop,
                                                     const Reply& finish) {
        auto given = row->check.read(text);
        if (!given) return finish(given.error());
        const auto& run = row->method.run;
        if (const auto* const started = std::get_if<Started>(&run)) {
          const Task task =
              with_span({stop, progress, finish}, row->method.name, *given, tracer, arrived);
          const services::LogScope scope(task.subject);
          return started->handler(engine, *given, task);
        }
        const auto* const until_stopped = std::get_if<UntilStopped>(&run);
        finish(until_stopped != nullptr ? until_stopped->handler(engine, *given, stop)
                                        : std::get<OnWorker>(run).handler(engine, *given));
      },
      std::move(reply));
}

Engine::Reply RunningEngine::redacted(Reply reply) const {
  return [this, reply = std::move(reply)](Result<std::string> result) {
    const services::Redactor& redactor = host_services_->redactor;
    if (!result) return reply(redactor.redact(std::move(result).error()));
    reply(redactor.redact_json(std::move(*result)));
  };
}

Engine::OnProgress RunningEngine::redacted(OnProgress progress) const {
  if (!progress) return nullptr;
  return [this, progress = std::move(progress)](std::string_view json) {
    progress(host_services_->redactor.redact_json(std::string(json)));
  };
}

std::unique_ptr<Reader> RunningEngine::open_reader(std::string_view question, std::uint64_t after,
                                                   std::function<void()> wake) {
  const auto log = question_registry_->log_of(question);
  if (!log) return nullptr;
  return std::make_unique<QuestionReader>(log->open(after, std::move(wake)));
}

Result<std::vector<Listening>> RunningEngine::start_transports(
    const std::vector<std::string>& only) {
  library_->build_symbols();
  const auto now = state_.now();
  prices_.refresh(*now);
  if (gate_->has_store()) {
    if (const auto access = gate_->open(); !access) {
      return host_services_->redactor.redact(Error(access.error()));
    }
  }
  if (options_.serves) {
    for (const std::string& problem : problems()) host_services_->log.warning("host", problem);
  }
  auto listening = transports_.start(*now, only, table_.get());
  if (!listening) return host_services_->redactor.redact(std::move(listening).error());
  if (options_.watch) {
    watch_ = std::make_unique<FileWatch>(FileWatch::Parts{.watched = [this] { return watched(); },
                                                          .changed = [this] { reload_changed(); }});
  }
  return listening;
}

Status RunningEngine::send_questions(const Fd& socket) {
  successor_.reset();
  auto sender = QuestionSender::start(*question_registry_, host_services_->io, socket);
  if (!sender) return std::move(sender).error();
  successor_ = std::move(*sender);
  return {};
}

Status RunningEngine::receive_questions(const Fd& socket, std::chrono::milliseconds limit) {
  auto receiver = QuestionReceiver::start(*question_registry_, host_services_->io,
                                          host_services_->wakes, socket);
  if (!receiver) return std::move(receiver).error();
  predecessor_ = std::move(*receiver);
  if (predecessor_->wait_until_known(limit)) return {};
  return Error{Code::kDeadlineExceeded, "the replaced process does not tell its questions",
               "Readers of its questions cannot go on here."};
}

void RunningEngine::drain(std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  transports_.stop(limit);
  question_registry_->wait_until_idle(time_left(deadline));
}

WatchedFiles RunningEngine::watched() const {
  const auto now = state_.now();
  if (!now->config.server.reload_on_change) return {};
  WatchedFiles out{.files = config::files_of(options_.config),
                   .plugin_directories = plugin_directories(now->config, options_)};
  out.files.push_back(now->config.writable_file);
  return out;
}

void RunningEngine::reload_changed() {
  if (!state_.now()->config.server.reload_on_change) return;
  ConfigurationEdit edit(state_);
  const auto done = edit.reload_with_plugins();
  if (!done) return log_error(Error(done.error()).in("the changed files are not used"));
  host_services_->log.info("host", "configuration and plugins were reloaded");
}

void RunningEngine::log_error(const Error& error) {
  std::string text = error.message;
  if (error.details.size() > 1) {
    for (const auto& detail : error.details) text += "; " + detail.field + ": " + detail.message;
  }
  host_services_->log.error("host", error.hint.empty() ? text : text + " (" + error.hint + ")");
}

std::vector<std::string> RunningEngine::problems() const {
  std::vector<std::string> out = state_.now()->problems;
  if (const auto problem = history_->problem()) {
    out.push_back(with_hint(*problem));
  }
  if (const auto state = host_services_->paths.state()) {
    if (const auto restore = backup::interrupted_restore(*state))
      out.push_back(with_hint(*restore));
  }
  for (std::string& problem : out) problem = host_services_->redactor.redact(problem);
  return out;
}

void RunningEngine::shutdown() {
  close(state_.now()->config.server.shutdown_grace);
}

void RunningEngine::close(std::chrono::milliseconds grace) {
  std::call_once(shut_down_, [&] {
    const ShutdownWatch shutdown(host_services_->log, grace);
    const auto begun = std::chrono::steady_clock::now();
    // Questions have the grace, then transports the grace and the time to stop.
    host_services_->abandoned->give_up_all_at(begun + 2 * grace + kStopTime);
    watch_.reset();
    prices_.stop();
    if (question_registry_) question_registry_->close(grace);
    if (successor_) successor_->finish(std::max(kLeastFlush, time_left(begun + grace)));
    successor_.reset();
    predecessor_.reset();
    // Readers must get the last event before their transport ends.
    transports_.stop(grace);
    calls_.close();
    // After the last reply, which uses what its transport kept for it.
    transports_.clear();
    if (search_models_.encoder) search_models_.encoder->stop();
    if (search_models_.reranker) search_models_.reranker->stop();
    encodings_.shutdown();
    rerankings_.shutdown();
    if (library_) library_->shutdown();
    // No span begins any more. Sending them may need a worker.
    if (io_loop_) host_services_->traces.shutdown(std::max(kLeastFlush, time_left(begun + grace)));
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

bool RunningEngine::end() {
  close({});
  if (transports_.have_stopped()) return true;
  static_cast<void>(host_services_->end());
  return false;
}

void EndEngine::operator()(Engine* engine) const {
  if (engine->end()) delete engine;
}

Result<EnginePointer> Engine::start(Options options) {
  auto config = config::load(options.config);
  if (!config) return std::move(config).error();
  auto host_services = HostServices::create(*config, options);
  if (!host_services) return std::move(host_services).error();
  const services::Redactor& redactor = (*host_services)->redactor;
  auto registry = load_plugins(*config, options, **host_services, Loading::kByUse);
  if (!registry) return redactor.redact(std::move(registry).error());
  const auto report = std::exchange(options.on_plugin_problem, nullptr);
  const auto failed = [&report, &redactor, problems = (*registry)->problems()](const Error& error) {
    for (const Error& problem : problems) {
      if (report) report(redactor.redact(problem));
    }
    return redactor.redact(error);
  };
  auto store = make_store(*config, **registry);
  if (!store) return failed(std::move(store).error());
  (*host_services)->store = std::move(*store);
  auto engine = std::make_unique<RunningEngine>(std::move(options), std::move(*host_services));
  Status begun = engine->begin(std::move(*config), std::move(*registry));
  if (!begun) return failed(std::move(begun).error());
  return EnginePointer(engine.release());
}

}  // namespace quarry::engine
