#pragma once

#include "corpus/query/search_models.h"
#include "engine/analysers.h"
#include "engine/calls.h"
#include "engine/current_prices.h"
#include "engine/current_state.h"
#include "engine/engine.h"
#include "engine/engine_table.h"
#include "engine/expenses.h"
#include "engine/file_watch.h"
#include "engine/gate.h"
#include "engine/host_services.h"
#include "engine/question_history.h"
#include "engine/question_registry.h"
#include "plugins/transport.h"
#include "resources/library.h"
#include "services/growing_pool.h"

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

namespace quarry::engine {

/// The engine: owns its parts, starts and ends them in order, and runs the methods of its table.
/// The methods are in the groups of host/engine/methods.
class RunningEngine final : public Engine {
 public:
  RunningEngine(Options options, HostServicesPointer host_services);
  ~RunningEngine() override;
  /// Makes the library and the first state. Called once, before any other method.
  Status begin(config::Config config, std::shared_ptr<plugins::Registry> registry);

  using Engine::call;
  std::uint64_t call(std::string_view method, std::string_view params, Reply reply,
                     OnProgress progress) override;
  void cancel(std::uint64_t handle) override { calls_.cancel(handle); }
  std::unique_ptr<Reader> open_reader(std::string_view question, std::uint64_t after,
                                      std::function<void()> wake) override;
  using Engine::start_transports;
  Result<std::vector<std::string>> start_transports(const std::vector<std::string>& only) override;
  void when_indexed(std::function<void()> act) override { library_->when_indexed(std::move(act)); }
  void when_encoded(std::function<void()> act) override { library_->when_encoded(std::move(act)); }
  [[nodiscard]] std::vector<std::string> problems() const override;
  void shutdown() override;
  [[nodiscard]] bool end() override;

 private:
  struct Methods;

  void make_search_models();
  Status make_library();
  Status make_history();
  ask::QuestionServices question_services();
  /// Files of the configuration and of plugins.
  [[nodiscard]] WatchedFiles watched() const;
  /// Reloads after these have changed; tells the log the result.
  void reload_changed();
  /// The addresses of a transport that has started, and is then one of transports_.
  Result<std::vector<std::string>> start_transport(const State& now, const std::string& name);
  void stop_transports(std::chrono::milliseconds grace);
  /// Shuts down once; waits up to `grace` for running questions.
  void close(std::chrono::milliseconds grace);

  const Options options_;
  HostServicesPointer host_services_;
  std::optional<boost::asio::executor_work_guard<boost::asio::io_context::executor_type>> work_;
  std::unique_ptr<services::NamedLoop> io_loop_;
  Calls calls_;
  CurrentState state_;

  std::unique_ptr<Analysers> analysers_;  ///< null if no plugin offered one at the start
  services::GrowingPool encodings_{"quarry-encode", 4};
  services::GrowingPool rerankings_{"quarry-rerank", 4};
  std::shared_ptr<corpus::Encoding> encoding_;
  corpus::SearchModels search_models_;
  std::unique_ptr<resources::Library> library_;
  std::unique_ptr<QuestionHistory> history_;
  std::unique_ptr<ask::QuestionServices> services_;
  std::unique_ptr<Gate> gate_;
  Expenses expenses_;  ///< of callers with tokens
  std::unique_ptr<QuestionRegistry> question_registry_;
  CurrentPrices prices_;
  std::unique_ptr<Methods> methods_;
  EngineTable table_;
  std::vector<std::shared_ptr<plugins::Transport>> transports_;
  bool transports_stopped_ = true;  ///< false once one has not returned
  std::unique_ptr<FileWatch> watch_;
  std::once_flag shut_down_;
};

}  // namespace quarry::engine
