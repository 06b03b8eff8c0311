#pragma once

#include "ask/answer.h"
#include "ask/citation_list.h"
#include "ask/cited_sources.h"
#include "ask/conversation.h"
#include "ask/model_calls.h"
#include "ask/question.h"
#include "ask/question_sources.h"
#include "ask/task.h"
#include "base/json_writer.h"

#include <atomic>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace quarry::ask {

/// Runs one question as a coroutine on the I/O thread: resources, meta, steps of model and tools,
/// citations, done.
class Session {
 public:
  Session(const QuestionServices& services, Request request, std::shared_ptr<EventLog> log,
          std::shared_ptr<CitedSources> cited, std::stop_token stop,
          const std::atomic<StopReason>& reason);

  /// Its resources and history are moved out once the conversation starts.
  [[nodiscard]] const Request& request() const { return request_; }

  /// Writes every event of the question, the last one included.
  Task<void> run();

 private:
  using Steady = std::chrono::steady_clock::time_point;
  Task<void> answer();
  Task<void> prepare();
  Task<void> take_step(std::uint32_t number);
  Task<void> use_tools(const Step& step);
  /// Runs a tool; again on sound copies if it met damage in the cache. [worker]
  void run_tool(std::string_view tool, const Json& arguments, const std::stop_token& stop,
                const std::function<void(Result<ToolResult>)>& done);
  Task<void> finish();

  using Preparations = std::vector<Result<resources::Prepared>>;
  void prepare_resource(const WantedResource& wanted, resources::Library::OnPrepared done);
  /// Starts the conversation about the prepared resources, in the order of the request.
  void start_conversation(Preparations all);
  /// True if the question continues after `step`; ends the question otherwise. A step without calls
  /// is followed by the next, because the model was asked to correct a call.
  bool continues(const ModelCalls::Outcome& outcome, Step& step);
  /// Releases the leases, so that an ended question that can still be read blocks no eviction.
  void release_snapshots();
  void write_meta(const PreparedResources& resources);
  void write_notices(const PreparedResources& resources);
  /// Names the files that the answer lacks.
  void write_damage(const corpus::Collection& collection);
  void refuse_calls(const Step& step, std::string_view why);
  /// Ends the question with the result for its stop reason.
  void end_stopped();
  void end_with(std::string_view finish_reason) { ending_ = std::string(finish_reason); }
  void end_with(Error error) { ending_ = std::move(error); }
  [[nodiscard]] std::vector<CitedSource> cited() const;
  void write_record();
  [[nodiscard]] std::string metrics() const;
  [[nodiscard]] std::string details() const;
  [[nodiscard]] std::string redacted_error() const;
  /// Adds `steps`, `model` and `fallbacks`.
  void add_models(JsonWriter& json) const;
  [[nodiscard]] std::string done_event(const std::vector<std::string>& citations) const;

  const QuestionServices& services_;
  Request request_;
  std::shared_ptr<EventLog> log_;
  std::shared_ptr<CitedSources> cited_;
  std::stop_token stop_;
  const std::atomic<StopReason>& stop_reason_;
  const Steady started_;
  const Clock::Wall asked_at_;

  services::RunningSpan span_;

  std::optional<QuestionSources> sources_;
  std::vector<ResourceVersion> versions_;  ///< of the resources
  std::optional<Conversation> conversation_;
  Answer answer_;
  ModelCalls calls_;
  std::optional<ToolBox> tools_;
  std::vector<std::string> tool_items_;
  std::string snapshots_;  ///< JSON array, as in `meta`; empty before it
  std::string metrics_;    ///< JSON, from the end on

  std::uint32_t steps_ = 0;
  bool corrected_ = false;  ///< a tool call that could not be read was asked for again
  std::chrono::nanoseconds preparing_{0};
  std::chrono::nanoseconds working_{0};

  std::string unfinished_;           ///< what the question was waiting for when it was stopped
  bool waits_for_resource_ = false;  ///< that is a resource
  std::optional<Result<std::string>> ending_;  ///< the finish reason
};

}  // namespace quarry::ask
