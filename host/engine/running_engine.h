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

/// The engine. Its methods are in files of their groups: resource_methods.cpp, sync_methods.cpp,
/// lock_methods.cpp, question_methods.cpp, configuration_methods.cpp, model_methods.cpp,
/// history_methods.cpp, access_methods.cpp (callers with tokens), owner_methods.cpp (those who make
/// the tokens), secret_methods.cpp (secrets of projects).
class RunningEngine final : public Engine {
 public:
  RunningEngine(Options options, std::unique_ptr<HostServices> host_services);
  ~RunningEngine() override;
  /// Makes the library and the first state. Once, before anything else.
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
  /// A call that goes on after its method has returned.
  struct Task {
    std::stop_token stop;
    OnProgress progress;
    Reply reply;
  };
  struct Method;
  static const std::vector<Method>& methods();

  // Answered at once when what it takes is at hand, else on a worker.
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
  // On a worker, until it is no longer wanted.
  Answer list_models(std::string_view params, const std::stop_token& stop);
  Answer select_model(std::string_view params, const std::stop_token& stop);
  Answer ask(std::string_view params, const std::stop_token& stop);
  // From a worker, and on after that.
  void sync_resources(std::string_view params, const Task& task);
  void lock_resources(std::string_view params, const Task& task);

  [[nodiscard]] std::shared_ptr<const State> state() const;
  /// Shuts down once; running questions get `grace`.
  void close(std::chrono::milliseconds grace);
  /// Reads the configuration again; a broken one changes nothing.
  Status reload();
  Status put_in_force(std::shared_ptr<const State> made);
  /// Whether the choice can be made and asked, before anything is written.
  Status check_choice(const ModelChoice& choice);
  /// Makes the history that questions of `services` are recorded in; opens no file yet.
  Status begin_history(ask::QuestionServices& services);
  void warn_of_history(const Error& error);
  /// The history with every question in it whose end a client may have seen. [worker]
  history::History& settled_history();
  /// Puts the turns of its thread before a question, and answers how many had no room. One that
  /// names no resources is about those of the turn before. A history that cannot be used costs the
  /// turns, not the question. [worker]
  std::size_t take_up_thread(QuestionRequest& asked);
  /// Refuses a question that may cost something when the month's budget is used up; else it may
  /// cost the rest at most. A history that cannot be used is warned of, and no reason to refuse.
  /// [worker]
  Status keep_to_budget(std::optional<Money> budget, ask::Request& request);
  /// The resources a question is about, from what the client named.
  Result<std::vector<ask::WantedResource>> resources_of(const State& state,
                                                        const QuestionRequest& asked);
  /// The same among those of the principal's project; references only with the right to add.
  Result<std::vector<ask::WantedResource>> resources_of(const State& state,
                                                        const QuestionRequest& asked,
                                                        const access::Principal& principal);
  /// Adds to the project of the principal.
  Answer add_resource_of(const PrincipalRequest& asked, Json resource);
  [[nodiscard]] std::string render_resources(const std::vector<Json>& resources) const;
  /// A question for the bearer of a token: his limits, his money, his place among the streams,
  /// which the answer holds.
  Result<access::Access::Place> ask_for(const access::Principal& principal, ask::Request& request);
  /// Who acts, with the right to. [worker]
  Result<access::Principal> principal(const PrincipalRequest& asked, std::string_view right);
  Result<access::Principal> session_principal(const SessionRequest& request);
  /// The store, open. [worker]
  Result<plugins::Store*> store();
  /// The resource of the project that a secret is for, canonical.
  static Result<Json> resource_of_project(const State& state, plugins::Store& kept,
                                          const SecretRequest& wanted);
  static Error no_project(plugins::Store& kept, const std::string& name);
  /// Those of a sync; all when `name` is empty.
  Result<std::vector<ask::WantedResource>> resources_to_sync(const State& state,
                                                             const std::string& name);
  [[nodiscard]] std::string wire_form_of(const Json& resource) const;
  /// Makes prices current in the background when the model is one that costs.
  void want_prices(const State& state);
  /// ConfigError when money is limited and the price of none of the models is known, not even after
  /// a fetch of the prices. [worker]
  Status want_priced(const State& state, ask::Request& request, const std::stop_token& stop);

  const Options options_;
  std::unique_ptr<HostServices> host_services_;
  std::optional<boost::asio::executor_work_guard<boost::asio::io_context::executor_type>> work_;
  std::unique_ptr<services::NamedLoop> io_loop_;
  Calls calls_;

  mutable std::mutex state_mutex_;
  std::shared_ptr<const State> state_;
  std::vector<std::weak_ptr<const State>> states_;  ///< those that questions still run with, too
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
