#pragma once

#include "ask/event_log.h"
#include "base/clock.h"
#include "plugins/model_provider.h"

#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

namespace quarry::ask {

/// A tool call as a model made it, once its pieces are together.
struct ToolCall {
  std::uint32_t index = 0;  ///< the provider's, within the step
  std::string id;           ///< distinct within the question
  std::string name;
  std::string arguments;  ///< JSON text as it came
  bool announced = false;
};

/// What one model call produced. Its text and reasoning stand in the log; here they are only for a
/// step with calls, after which the conversation goes on.
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

/// What one step has said of one kind.
struct DeltaState {
  bool begun = false;
  std::size_t line_ends = 0;  ///< that were put before it
};

/// The answer of a question as it grows over its steps. It stands in the log and nowhere else, so
/// that a long one is held once. One thread at a time.
class Answer {
 public:
  explicit Answer(std::shared_ptr<EventLog> log) : log_(std::move(log)) {}

  /// Adds a delta of text or reasoning, which is not empty; the first of a later step is set off by
  /// a blank line. False when the log is full.
  bool add(EventType type, DeltaState& step, std::string_view delta);
  /// What `step` said since event number `after`, without the blank line.
  [[nodiscard]] std::string said(EventType type, const DeltaState& step, std::uint64_t after) const;
  /// `wanted` if no call of this question has it, else one like it; an empty one gets a name.
  std::string distinct_id(std::string_view wanted);

  [[nodiscard]] EventLog& log() { return *log_; }
  [[nodiscard]] bool has_text() const { return text_.any; }
  [[nodiscard]] std::string text() const { return log_->text_of(EventType::kTextDelta); }

 private:
  /// How what was said so far ends.
  struct Ending {
    bool any = false;
    std::size_t line_ends = 0;

    void add(std::string_view delta);
    /// The line ends that a blank line behind it wants.
    [[nodiscard]] std::size_t to_blank_line() const;
  };

  std::shared_ptr<EventLog> log_;
  Ending text_;
  Ending reasoning_;
  std::set<std::string, std::less<>> ids_;
};

/// Takes what a provider says in one step: deltas go to the log as they come, the rest into `step`,
/// which must outlive it. One thread at a time.
class StepSink final : public plugins::ModelSink {
 public:
  StepSink(Step& step, Answer& answer, const Clock& clock, std::stop_token stop)
      : step_(step),
        answer_(answer),
        clock_(clock),
        stop_(std::move(stop)),
        before_(answer.log().event_count()) {}

  bool text(std::string_view delta) override;
  bool reasoning(std::string_view delta) override;
  bool tool_call(std::uint32_t index, std::string_view id, std::string_view name,
                 std::string_view arguments) override;
  bool usage(const plugins::Usage& usage) override;
  bool keep(std::string_view json) override;
  void finish(plugins::Finish reason) override;
  void error(const plugins::ModelError& error) override;

  /// Completes the step when nothing more comes.
  void close();

 private:
  [[nodiscard]] bool wanted() const { return !stop_.stop_requested() && !ended(); }
  [[nodiscard]] bool ended() const { return step_.finish || step_.error; }
  bool say(EventType type, DeltaState& deltas, std::string_view delta);
  void note_output();
  /// The call of this index, which may be new; null when there are too many.
  ToolCall* call(std::uint32_t index, std::string_view id);
  void announce(ToolCall& call);

  Step& step_;
  Answer& answer_;
  const Clock& clock_;
  std::stop_token stop_;
  const std::uint64_t before_;  // the last event that is not of this step
  DeltaState text_;
  DeltaState reasoning_;
};

}  // namespace quarry::ask
