#pragma once

#include "ask/answer.h"
#include "ask/events.h"
#include "ask/tool_names.h"
#include "ask/tool_result.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/executor.h"
#include "base/json.h"
#include "services/tracer.h"

#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace quarry::ask {

/// Runs one tool on the question's collection. Calls `done` once, on any thread, perhaps after it
/// has returned; the arguments live until then. [worker]
using RunTool = std::function<void(std::string_view tool, const Json& arguments, std::stop_token,
                                   std::function<void(Result<ToolResult>)> done)>;

/// The outcome of one call, for the model and for done.tools.
struct ToolOutcome {
  std::string text;
  bool failed = false;
  std::string state;
};

/// Runs the tool calls of a question and reports every state to the log. Equal calls are run once.
/// One batch at a time.
class ToolBox {
 public:
  /// `trace`: of the question. `tools` must outlive it.
  ToolBox(std::shared_ptr<EventLog> log, const services::SpanParent& trace, const Clock& clock,
          Executor& workers, const ToolNames& tools, RunTool run);

  /// Runs all calls at once on workers; outcomes are in the order of the calls. `done` is called
  /// once, on any thread.
  void run(const std::vector<ToolCall>& calls, std::stop_token stop,
           std::function<void(std::vector<ToolOutcome>)> done);
  /// Ends calls that will not run with `why` as their error.
  std::vector<ToolOutcome> refuse(const std::vector<ToolCall>& calls, std::string_view why);

 private:
  struct Batch;
  struct Job;
  using Answered = Result<ToolResult>;

  void work(const std::shared_ptr<Batch>& batch, const Job& job);
  void take(const std::shared_ptr<Batch>& batch, const Job& job, const Answered& answered,
            std::int64_t start);
  ToolOutcome report(const ToolCall& call, const std::string& input, const Answered& answered,
                     std::int64_t start);

  std::shared_ptr<EventLog> log_;
  const services::SpanParent trace_;
  const Clock& clock_;
  Executor& workers_;
  const ToolNames& tools_;
  RunTool run_;
  std::map<std::string, Answered> memory_;
};

}  // namespace quarry::ask
