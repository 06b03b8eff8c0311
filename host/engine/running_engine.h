#pragma once

#include "corpus/query/search_models.h"
#include "engine/analysers.h"
#include "engine/calls.h"
#include "engine/current_prices.h"
#include "engine/current_state.h"
#include "engine/engine.h"
#include "engine/engine_metrics.h"
#include "engine/engine_table.h"
#include "engine/expenses.h"
#include "engine/file_watch.h"
#include "engine/gate.h"
#include "engine/host_services.h"
#include "engine/question_history.h"
#include "engine/question_registry.h"
#include "engine/replication/question_receiver.h"
#include "engine/replication/question_sender.h"
#include "engine/transports.h"
#include "resources/library.h"
#include "services/growing_pool.h"
#include "services/log_scope.h"

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
  Result<std::vector<Listening>> start_transports(const std::vector<std::string>& only) override;
  Status send_questions(const Fd& socket) override;
  Status receive_questions(const Fd& socket, std::chrono::milliseconds limit) override;
  void drain(std::chrono::milliseconds limit) override;
  void when_indexed(std::function<void()> act) override { library_->when_indexed(std::move(act)); }
  void when_encoded(std::function<void()> act) override { library_->when_encoded(std::move(act)); }
  [[nodiscard]] plugins::Store* store() override { return host_services_->store.get(); }
  [[nodiscard]] std::vector<std::string> problems() const override;
  void log_error(const Error& error) override;
  void shutdown() override;
  [[nodiscard]] bool end() override;

 private:
  struct Methods;

  /// The same without secrets: what a method returns and reports passes it, and nothing else does.
  [[nodiscard]] Reply redacted(Reply reply) const;
  [[nodiscard]] OnProgress redacted(OnProgress progress) const;
  void make_search_models();
  Status make_library();
  Status make_history();
  ask::QuestionServices question_services();
  /// Runs a tool that the model of a question has called; the metrics count it.
  Result<ask::ToolResult> run_tool(const corpus::Collection& collection, std::string_view tool,
                                   const Json& arguments, std::stop_token stop);
  /// Tells the log that a question has ended.
  void log_end(const ask::Record& record);
  /// Files of the configuration and of plugins.
  [[nodiscard]] WatchedFiles watched() const;
  /// Reloads after these have changed; tells the log the result.
  void reload_changed();
  /// Shuts down once; waits up to `grace` for running questions.
  void close(std::chrono::milliseconds grace);

  const Options options_;
  HostServicesPointer host_services_;
  EngineMetrics metrics_;
  std::optional<boost::asio::executor_work_guard<boost::asio::io_context::executor_type>> work_;
  std::unique_ptr<services::NamedLoop> io_loop_;
  Calls calls_;
  CurrentState state_;

  std::unique_ptr<Analysers> analysers_;  ///< null if no plugin offered one at the start
  services::GrowingPool encodings_{"quarry-encode", 4};
  services::GrowingPool rerankings_{"quarry-rerank", 4};
  services::LogScopeExecutor scoped_encodings_{encodings_};
  services::LogScopeExecutor scoped_rerankings_{rerankings_};
  std::shared_ptr<corpus::Encoding> encoding_;
  corpus::SearchModels search_models_;
  std::unique_ptr<resources::Library> library_;
  std::unique_ptr<QuestionHistory> history_;
  std::unique_ptr<ask::QuestionServices> services_;
  std::unique_ptr<Gate> gate_;
  Expenses expenses_;  ///< of callers with tokens
  std::unique_ptr<QuestionRegistry> question_registry_;
  std::unique_ptr<QuestionSender> successor_;      ///< null unless one was started
  std::unique_ptr<QuestionReceiver> predecessor_;  ///< null unless this process replaced one
  CurrentPrices prices_;
  std::unique_ptr<Methods> methods_;
  EngineTable table_;
  Transports transports_;
  std::unique_ptr<FileWatch> watch_;
  std::once_flag shut_down_;
};

}  // namespace quarry::engine
