#pragma once

#include "ask/event_log.h"
#include "ask/function_calls.h"
#include "ask/step_text.h"
#include "ask/tool_names.h"
#include "ask/whole_deltas.h"
#include "base/clock.h"
#include "plugins/model_provider.h"

#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

namespace quarry::ask {

/// A tool call of a model, assembled from its pieces.
struct ToolCall {
  std::uint32_t index = 0;  ///< set by the provider; unique within the step
  std::string id;           ///< unique within the question
  std::string name;
  std::string arguments;  ///< JSON text, not parsed yet
  bool announced = false;
};

/// Output of one model call. Text and reasoning are in the log; they are copied here only for a
/// step with tool calls, because the conversation continues after it.
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

/// State of the deltas of one kind within one step.
struct DeltaState {
  bool begun = false;
  bool is_full = false;       ///< the log took no more of it
  std::size_t line_ends = 0;  ///< inserted before the first delta
};

/// The growing answer of a question. Its text is stored in the log only, so that a long answer is
/// held once. One thread at a time.
class Answer {
 public:
  explicit Answer(std::shared_ptr<EventLog> log) : log_(std::move(log)) {}

  /// Adds a delta of text or reasoning, which is not empty; a blank line separates the first delta
  /// of a later step. False when the log is full.
  bool add(EventType type, DeltaState& step, std::string_view delta);
  /// Text of `step` after event number `after`, without the blank line.
  [[nodiscard]] std::string said(EventType type, const DeltaState& step, std::uint64_t after) const;
  /// `wanted` if no call of this question has this id, else a variant; never empty.
  std::string distinct_id(std::string_view wanted);

  [[nodiscard]] EventLog& log() { return *log_; }
  [[nodiscard]] bool has_text() const { return text_.any; }
  [[nodiscard]] std::string text() const { return log_->text_of(EventType::kTextDelta); }

 private:
  /// End of the text so far.
  struct Ending {
    bool any = false;
    std::size_t line_ends = 0;

    void add(std::string_view delta);
    /// Line ends that are missing to a blank line.
    [[nodiscard]] std::size_t to_blank_line() const;
  };

  std::shared_ptr<EventLog> log_;
  Ending text_;
  Ending reasoning_;
  std::set<std::string, std::less<>> ids_;
};

/// Receives the output of a provider in one step: deltas go to the log as they arrive, the rest
/// into `step`, which must outlive the sink. Reasoning and tool calls in the text are taken out of
/// it (StepText). One thread at a time.
class StepSink final : public plugins::ModelSink {
 public:
  /// `tools` must outlive the sink.
  StepSink(Step& step, Answer& answer, const Clock& clock, const ToolNames& tools,
           std::stop_token stop)
      : step_(step),
        answer_(answer),
        clock_(clock),
        tools_(tools),
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

  /// Tells readers that the provider will be asked again in `left`, because of `reason`.
  void waits(std::string_view reason, std::chrono::milliseconds left);
  /// The error that ended the step before any output, or null.
  [[nodiscard]] const plugins::ModelError* failure_at_once() const {
    return step_.error && !step_.first_token ? &*step_.error : nullptr;
  }
  /// Prepares for the same request again after such an error.
  void forget_failure();
  /// Completes the step after the provider's last output.
  void close();
  /// True once the provider reported a finish or an error.
  [[nodiscard]] bool ended() const { return step_.finish || step_.error; }
  [[nodiscard]] bool has_output() const { return step_.first_token.has_value(); }

 private:
  [[nodiscard]] bool wanted() const { return !stop_.stop_requested() && !ended(); }
  bool say(EventType type, DeltaState& deltas, std::string_view delta);
  [[nodiscard]] bool fits() const { return !text_.is_full && !reasoning_.is_full; }
  /// What the texts of a step pass through.
  struct Texts {
    explicit Texts(const ToolNames& tools) : parts(&tools) {}
    WholeDeltas answer;
    WholeDeltas reasoning;
    StepText parts;
  };
  Texts& texts();
  /// Adds parts of the text to the log.
  StepText::Give giving();
  void give_reasoning(std::string_view text);
  void take_text_calls();
  void take_thought_calls();
  void add_calls(const std::vector<TextCall>& calls);
  void note_output();
  /// Finds or adds the call with this index; null when there are too many calls.
  ToolCall* call(std::uint32_t index, std::string_view id);
  void add_name(ToolCall& call, std::string_view name);
  void announce(ToolCall& call);

  Step& step_;
  Answer& answer_;
  const Clock& clock_;
  const ToolNames& tools_;
  std::stop_token stop_;
  const std::uint64_t before_;  // number of the last event before this step
  std::size_t kept_bytes_ = 0;
  DeltaState text_;
  DeltaState reasoning_;
  // From their first use on: a question that waits stays small.
  std::unique_ptr<Texts> texts_;
};

}  // namespace quarry::ask
