#pragma once

#include "ask/event_log.h"
#include "base/clock.h"
#include "plugins/model_provider.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

namespace quarry::ask {

/// A tool call as a model made it, once its pieces are together.
struct ToolCall {
  std::string id;  ///< distinct within the question
  std::string name;
  std::string arguments;  ///< JSON text as it came
  bool announced = false;
};

/// What one model call produced.
struct Step {
  std::string text;
  std::string reasoning;
  std::vector<ToolCall> calls;
  std::vector<std::string> kept;
  std::optional<plugins::Usage> usage;
  std::optional<plugins::Finish> finish;
  std::optional<plugins::ModelError> error;
  std::optional<std::chrono::steady_clock::time_point> first_token;
};

/// The answer of a question as it grows over its steps. One thread at a time.
class Answer {
 public:
  explicit Answer(std::shared_ptr<EventLog> log) : log_(std::move(log)) {}

  /// Adds text of a step; the first of a later step is set off by a blank line. False when the log
  /// is full.
  bool add_text(Step& step, std::string_view delta);
  bool add_reasoning(Step& step, std::string_view delta);
  /// `wanted` if no call of this question has it, else one like it; an empty one gets a name.
  std::string distinct_id(std::string_view wanted);

  [[nodiscard]] EventLog& log() { return *log_; }
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::string& reasoning() const { return reasoning_; }

 private:
  std::shared_ptr<EventLog> log_;
  std::string text_;
  std::string reasoning_;
  std::set<std::string, std::less<>> ids_;
};

/// Takes what a provider says in one step: deltas go to the log as they come, the pieces of tool
/// calls are put together. One thread at a time.
class StepSink final : public plugins::ModelSink {
 public:
  StepSink(Answer& answer, const Clock& clock, std::stop_token stop)
      : answer_(answer), clock_(clock), stop_(std::move(stop)) {}

  bool text(std::string_view delta) override;
  bool reasoning(std::string_view delta) override;
  bool tool_call(std::uint32_t index, std::string_view id, std::string_view name,
                 std::string_view arguments) override;
  bool usage(const plugins::Usage& usage) override;
  bool keep(std::string_view json) override;
  void finish(plugins::Finish reason) override;
  void error(const plugins::ModelError& error) override;

  /// What came, for the session to go on with. The sink takes nothing more.
  Step take();

 private:
  [[nodiscard]] bool wanted() const { return !stop_.stop_requested() && !ended(); }
  [[nodiscard]] bool ended() const { return step_.finish || step_.error; }
  void note_output();
  void announce(ToolCall& call);

  Answer& answer_;
  const Clock& clock_;
  std::stop_token stop_;
  Step step_;
  std::map<std::uint32_t, std::size_t> positions_;  // the provider's index -> place in calls
};

}  // namespace quarry::ask
