#pragma once

#include "ask/cited_sources.h"
#include "ask/conversation.h"
#include "ask/event_log.h"
#include "ask/limits.h"
#include "ask/model.h"
#include "ask/record.h"
#include "ask/shared_budget.h"
#include "ask/tool_box.h"
#include "ask/tool_names.h"
#include "ask/wanted_resource.h"
#include "base/clock.h"
#include "base/decimal.h"
#include "base/executor.h"
#include "base/json.h"
#include "corpus/query/citations.h"
#include "corpus/query/question_encoder.h"
#include "resources/library.h"
#include "services/log_scope.h"
#include "services/tracer.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace boost::asio {
class io_context;
}

namespace quarry::ask {

/// Services that questions use. Each must outlive every question.
struct QuestionServices {
  boost::asio::io_context& io;  ///< run by one thread
  WakeQueue& wakes;             ///< of the thread that runs `io`
  Executor& workers;
  resources::Library& library;
  const Clock& clock;
  OfferedTools tools;
  std::function<Result<ToolResult>(const corpus::Collection&, std::string_view tool, const Json&,
                                   std::stop_token)>
      run_tool;
  std::function<std::vector<corpus::Citation>(const corpus::Collection&, std::string_view answer)>
      check_citations;
  /// Called once for every question, after its last event; may be empty. [io]
  std::function<void(const Record&)> record = {};
  bool has_symbols = false;  ///< `tools` has those that find symbols
  corpus::SearchModels search_models = {};
  /// Of the events of every question, without what models say; may be empty. [any]
  EventLog::Redact redact = {};
};

/// A checked question.
struct Request {
  std::string id;
  std::string text;
  std::vector<WantedResource> resources;  ///< at least one
  /// Versions are fixed: one resource that fails ends the question, and resources without a fixed
  /// version (folders) are reported as such.
  bool locked = false;
  std::vector<Candidate> models;   ///< the chosen one, then its fallbacks; at least one
  std::vector<Turn> history;       ///< earlier turns of the conversation, oldest first
  std::string thread;              ///< the conversation of this question; may be empty
  std::vector<std::string> named;  ///< the resources in the client's words; empty = all
  std::string bearer;              ///< the caller's token; empty = the owner
  std::string project = {};        ///< of the caller's token
  std::size_t turns_left_out = 0;  ///< older turns of the conversation that did not fit
  Limits limits;
  std::shared_ptr<SharedBudget> shared_budget = {};  ///< also pays for model calls; may be null
  services::SpanParent trace = {};                   ///< of the request
  /// Of lines about it: from the request, which may have none. The question adds what it knows.
  std::shared_ptr<const services::LogSubject> subject = {};
};

/// Cause of a stop from outside the question.
enum class StopReason { kNone, kAsked, kAbandoned, kShutdown, kTime, kWithdrawn };

/// A running or finished question. Thread-safe.
class Question {
 public:
  /// Starts at once; `ended` is called on the I/O thread when the last event is in the log and no
  /// work of the question runs any more.
  static std::shared_ptr<Question> start(const QuestionServices& services, Request request,
                                         std::function<void(const Question&)> ended);
  virtual ~Question() = default;

  [[nodiscard]] virtual const std::string& id() const = 0;
  /// The caller's token; empty = the owner.
  [[nodiscard]] virtual const std::string& bearer() const = 0;
  [[nodiscard]] virtual const std::shared_ptr<EventLog>& log() const = 0;
  [[nodiscard]] virtual const std::shared_ptr<CitedSources>& cited() const = 0;
  /// Stops it soon; the first reason counts. No effect once it has ended.
  virtual void stop(StopReason reason) = 0;
};

}  // namespace quarry::ask
