#pragma once

#include "engine/access_requests.h"
#include "engine/calls.h"
#include "engine/engine.h"
#include "engine/engine_table.h"
#include "engine/expenses.h"
#include "engine/gate.h"
#include "engine/host_services.h"
#include "engine/price_refresher.h"
#include "engine/question_registry.h"
#include "engine/requests.h"
#include "engine/state.h"
#include "plugins/transport.h"
#include "resources/library.h"

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

namespace quarry::history {
class History;
}

namespace quarry::engine {

/// The engine. Its methods are grouped into files: resource_methods.cpp, sync_methods.cpp,
/// lock_methods.cpp, question_methods.cpp, configuration_methods.cpp, model_methods.cpp,
/// history_methods.cpp, access_methods.cpp (callers with tokens), owner_methods.cpp (projects and
/// tokens), secret_methods.cpp (secrets of projects).
class RunningEngine final : public Engine {
 public:
  RunningEngine(Options options, std::unique_ptr<HostServices> host_services);
  ~RunningEngine() override;
  /// Makes the library and the first state. Called once, before any other method.
  Status begin(config::Config config);

  using Engine::call;
  std::uint64_t call(std::string_view method, std::string_view params, Reply reply,
                     OnProgress progress) override;
  void cancel(std::uint64_t handle) override { calls_.cancel(handle); }
  std::unique_ptr<Reader> open_reader(std::string_view question, std::uint64_t after,
                                      std::function<void()> wake) override;
  using Engine::start_transports;
  Result<std::vector<std::string>> start_transports(const std::vector<std::string>& only) override;
  [[nodiscard]] std::vector<std::string> problems() const override;
  void shutdown() override;

 private:
  using Answer = Result<std::string>;
  /// A call that continues after its method has returned.
  struct Task {
    std::stop_token stop;
    OnProgress progress;
    Reply reply;
  };
  struct Method;
  static const std::vector<Method>& methods();

  // Answered at once if the data is in memory, else on a worker.
  std::optional<Answer> list_resources_at_once(std::string_view params);
  std::optional<Answer> admit_at_once(std::string_view params);
  // Answered at once.
  Answer health(std::string_view params);
  Answer list_resources(std::string_view params);
  Answer schemas(std::string_view params);
  Answer show_config(std::string_view params);
  Answer stop_question(std::string_view params);
  Answer metrics(std::string_view params);
  std::optional<Answer> record_at_once(std::string_view params);
  Answer record_call(std::string_view params);
  Answer end_host(std::string_view params);
  // On a worker.
  Answer add_resource(std::string_view params);
  Answer remove_resource(std::string_view params);
  Answer recognise_resource(std::string_view params);
  Answer reload_config(std::string_view params);
  Answer clear_cache(std::string_view params);
  Answer report_usage(std::string_view params);
  Answer list_threads(std::string_view params);
  Answer show_thread(std::string_view params);
  Answer remove_thread(std::string_view params);
  Answer admit(std::string_view params);
  Answer open_session(std::string_view params);
  Answer check_session(std::string_view params);
  Answer end_session(std::string_view params);
  Answer create_project(std::string_view params);
  Answer list_projects(std::string_view params);
  Answer remove_project(std::string_view params);
  Answer create_token(std::string_view params);
  Answer list_tokens(std::string_view params);
  Answer revoke_token(std::string_view params);
  Answer set_project_secret(std::string_view params);
  Answer list_project_secrets(std::string_view params);
  Answer remove_project_secret(std::string_view params);
  // On a worker, until cancelled.
  Answer list_models(std::string_view params, const std::stop_token& stop);
  Answer select_model(std::string_view params, const std::stop_token& stop);
  Answer ask(std::string_view params, const std::stop_token& stop);
  // Started on a worker; may continue after that.
  void sync_resources(std::string_view params, const Task& task);
  void lock_resources(std::string_view params, const Task& task);

  [[nodiscard]] std::shared_ptr<const State> state() const;
  /// Shuts down once; waits up to `grace` for running questions.
  void close(std::chrono::milliseconds grace);
  /// Reads the configuration again; an invalid one changes nothing.
  Status reload();
  Status load_state(config::Config config);
  Status activate(std::shared_ptr<const State> made);
  /// Fails if the choice could not be made or asked; called before the file is written.
  Status check_choice(const ModelChoice& choice);
  /// Makes the history in which questions of `services` are recorded; opens no file yet.
  Status begin_history(ask::QuestionServices& services);
  void warn_of_history(const Error& error);
  /// The history, with every question whose end a client may have seen. [worker]
  history::History& settled_history();
  /// Adds the turns of its thread to a question, and returns how many did not fit. A question that
  /// names no resources gets those of the previous turn. If the history cannot be used, the
  /// question is asked without turns. [worker]
  std::size_t load_thread(QuestionRequest& asked);
  /// Rejects a question that may cost money when the month's budget is used up; else limits it to
  /// the rest. Only warns if the history cannot be used. [worker]
  Status apply_budget(std::optional<Money> budget, ask::Request& request);
  /// The resources of a question, from the names in the request.
  Result<std::vector<ask::WantedResource>> resources_of(const State& state,
                                                        const QuestionRequest& asked);
  /// The same for the principal's project; references only with the right to add.
  Result<std::vector<ask::WantedResource>> resources_of(const State& state,
                                                        const QuestionRequest& asked,
                                                        const access::Principal& principal);
  /// Adds a resource to the project of the principal.
  Answer add_resource_of(const PrincipalRequest& asked, Json resource);
  [[nodiscard]] std::string render_resources(const std::vector<Json>& resources) const;
  /// Sets token and budget of a principal's question, and returns its slot among the token's
  /// streams.
  Result<access::Access::StreamSlot> begin_stream(const access::Principal& principal,
                                                  ask::Request& request);
  /// The principal of a request; fails if it lacks `right`. [worker]
  Result<access::Principal> principal(const PrincipalRequest& asked, std::string_view right);
  Result<access::Principal> session_principal(const SessionRequest& request);
  /// The store, opened if needed. [worker]
  Result<plugins::Store*> store();
  /// The resource of a project to which a secret belongs, canonical.
  static Result<Json> resource_of_project(const State& state, plugins::Store& kept,
                                          const SecretRequest& wanted);
  static Error no_project(plugins::Store& kept, const std::string& name);
  /// The resources of a sync; all if `name` is empty.
  Result<std::vector<ask::WantedResource>> resources_to_sync(const State& state,
                                                             const std::string& name);
  [[nodiscard]] std::string wire_form_of(const Json& resource) const;
  /// Refreshes prices in the background if a model costs money.
  void refresh_prices(const State& state);
  /// ConfigError if money is limited and no model has a known price, even after fetching prices.
  /// [worker]
  Status check_priced(const State& state, ask::Request& request, const std::stop_token& stop);

  const Options options_;
  std::unique_ptr<HostServices> host_services_;
  std::optional<boost::asio::executor_work_guard<boost::asio::io_context::executor_type>> work_;
  std::unique_ptr<services::NamedLoop> io_loop_;
  Calls calls_;

  mutable std::mutex state_mutex_;
  std::shared_ptr<const State> state_;
  std::vector<std::weak_ptr<const State>> states_;  ///< includes older ones of running questions
  std::mutex edit_mutex_;                           ///< one change of the configuration at a time

  std::unique_ptr<resources::Library> library_;
  std::unique_ptr<history::History> history_;
  std::unique_ptr<ask::QuestionServices> services_;
  std::unique_ptr<Gate> gate_;
  Expenses expenses_;  ///< of callers with tokens
  std::unique_ptr<QuestionRegistry> question_registry_;
  PriceRefresher prices_;
  EngineTable table_;
  std::vector<std::shared_ptr<plugins::Transport>> transports_;
  std::once_flag shut_down_;
};

}  // namespace quarry::engine
