#include "ask/answer.h"

#include "ask/events.h"
#include "ask/model_failure.h"
#include "ask/text_calls.h"
#include "base/text.h"

#include <quarry/limits.h>

#include <algorithm>

namespace quarry::ask {
namespace {

/// Text of the calls of a step, which is not in the log, and so not limited by it.
constexpr std::size_t kMostCallText = 1u << 20;
/// All values to keep of a step, such as encrypted reasoning. The same holds for them.
constexpr std::size_t kMostKept = 16u << 20;

}  // namespace

std::size_t Answer::Ending::to_blank_line() const {
  return any ? 2 - std::min<std::size_t>(line_ends, 2) : 0;
}

void Answer::Ending::add(std::string_view delta) {
  const std::size_t text = delta.find_last_not_of('\n') + 1;  // npos + 1 is 0
  line_ends = delta.size() - text + (text == 0 ? line_ends : 0);
  any = any || !trim(delta).empty();
}

bool Answer::add(EventType type, DeltaState& step, std::string_view delta) {
  Ending& ending = type == EventType::kTextDelta ? text_ : reasoning_;
  const std::size_t missing = step.begun ? 0 : ending.to_blank_line();
  const bool added = missing > 0
                         ? log_->append_delta(type, std::string(missing, '\n').append(delta))
                         : log_->append_delta(type, delta);
  if (!added) return false;
  if (!step.begun) step = {.begun = true, .line_ends = missing};
  ending.add(delta);
  return true;
}

std::string Answer::said(EventType type, const DeltaState& step, std::uint64_t after) const {
  if (!step.begun) return {};
  std::string out = log_->text_of(type, after);
  out.erase(0, step.line_ends);
  return out;
}

std::string Answer::distinct_id(std::string_view wanted) {
  const std::string base =
      wanted.empty() ? "call_" + std::to_string(ids_.size() + 1) : std::string(wanted);
  std::string id = base;
  for (int n = 2; !ids_.insert(id).second; ++n) id = base + "_" + std::to_string(n);
  return id;
}

void StepSink::waits(std::string_view reason, std::chrono::milliseconds left) {
  answer_.log().append(EventType::kModelWaiting, waiting_event(reason, left));
}

bool StepSink::text(std::string_view delta) {
  if (!wanted() || delta.empty()) return wanted();
  note_output();
  texts().answer.add(delta, [&](std::string_view text) { texts_->parts.add(text, giving()); });
  if (texts_->parts.calls().size() <= kMostCallText) return fits();
  error({.code = Code::kResourceExhausted,
         .message = "the tool calls that the model wrote as text are too long"});
  return false;
}

bool StepSink::reasoning(std::string_view delta) {
  if (!wanted() || delta.empty()) return wanted();
  note_output();
  texts().parts.has_separate_reasoning();
  texts_->reasoning.add(delta, [&](std::string_view text) { give_reasoning(text); });
  return fits();
}

StepSink::Texts& StepSink::texts() {
  if (!texts_) texts_ = std::make_unique<Texts>(tools_);
  return *texts_;
}

StepText::Give StepSink::giving() {
  return [this](bool is_reasoning, std::string_view text) {
    is_reasoning ? say(EventType::kReasoningDelta, reasoning_, text)
                 : say(EventType::kTextDelta, text_, text);
  };
}

void StepSink::give_reasoning(std::string_view text) {
  say(EventType::kReasoningDelta, reasoning_, text);
}

bool StepSink::say(EventType type, DeltaState& deltas, std::string_view delta) {
  if (fits()) deltas.is_full = !answer_.add(type, deltas, delta);
  return fits();
}

bool StepSink::tool_call(std::uint32_t index, std::string_view id, std::string_view name,
                         std::string_view arguments) {
  if (!wanted()) return false;
  note_output();
  ToolCall* const said = call(index, id);
  if (!said) {
    error({.code = Code::kResourceExhausted, .message = "the model made too many tool calls"});
    return false;
  }
  if (!name.empty()) add_name(*said, name);
  if (said->arguments.size() + arguments.size() > QUARRY_LIMIT_TOOL_ARGUMENTS) {
    error(
        {.code = Code::kResourceExhausted, .message = "the arguments of a tool call are too long"});
    return false;
  }
  said->arguments += arguments;
  if (!said->announced && !tools_.find(said->name).empty()) announce(*said);
  return true;
}

/// A name may grow until it is that of a tool.
void StepSink::add_name(ToolCall& call, std::string_view name) {
  if (!tools_.find(call.name).empty()) return;
  const std::string_view known = tools_.find(name);
  call.name = known.empty() ? name : known;
}

ToolCall* StepSink::call(std::uint32_t index, std::string_view id) {
  const auto found = std::ranges::find(step_.calls, index, &ToolCall::index);
  if (found != step_.calls.end()) return &*found;
  if (step_.calls.size() >= QUARRY_LIMIT_TOOL_CALLS) return nullptr;
  return &step_.calls.emplace_back(
      ToolCall{.index = index, .id = answer_.distinct_id(id), .name = {}, .arguments = {}});
}

void StepSink::announce(ToolCall& call) {
  if (call.announced || call.name.empty()) return;
  call.announced = true;
  answer_.log().append(EventType::kToolUpdated, tool_updated(call.id, call.name, pending_state()));
}

bool StepSink::usage(const plugins::Usage& usage) {
  if (!ended()) step_.usage = usage;
  return wanted();
}

bool StepSink::keep(std::string_view json) {
  if (!wanted()) return false;
  kept_bytes_ += json.size();
  if (kept_bytes_ > kMostKept) {
    error({.code = Code::kResourceExhausted, .message = "the model gave too much to keep"});
    return false;
  }
  step_.kept.emplace_back(json);
  return true;
}

void StepSink::finish(plugins::Finish reason) {
  if (!ended()) step_.finish = reason;
}

void StepSink::error(const plugins::ModelError& error) {
  if (!ended()) step_.error = error;
}

void StepSink::forget_failure() {
  step_ = {};
  kept_bytes_ = 0;
}

/// Calls that the server has read itself are in the text once more.
void StepSink::take_text_calls() {
  if (!step_.calls.empty()) return;
  if (!texts_ || texts_->parts.calls().empty()) return take_thought_calls();
  const TextCalls found = read_text_calls(texts_->parts.calls(), tools_);
  const auto give = giving();
  if (!found.reasoning.empty()) give(true, found.reasoning);
  if (!found.text.empty()) give(false, found.text);
  add_calls(found.calls);
  if (found.malformed && step_.finish && *step_.finish != plugins::Finish::kLength) {
    step_.finish.reset();
    step_.error = {.code = Code::kInvalidArgument, .message = kMalformedTextCall};
  }
}

/// Calls in a thought that the model did not end, or that nothing follows.
void StepSink::take_thought_calls() {
  if (text_.begun || !reasoning_.begun || step_.error) return;
  TextCalls found =
      read_thought_calls(answer_.said(EventType::kReasoningDelta, reasoning_, before_), tools_);
  add_calls(found.calls);
  if (!step_.calls.empty()) step_.reasoning = std::move(found.text);
}

void StepSink::add_calls(const std::vector<TextCall>& calls) {
  for (const auto& [name, arguments] : calls) {
    const auto index = static_cast<std::uint32_t>(step_.calls.size());
    if (ToolCall* const said = call(index, {})) {
      said->name = name;
      said->arguments = arguments;
    }
  }
}

void StepSink::close() {
  if (texts_) {
    texts_->reasoning.finish([&](std::string_view text) { give_reasoning(text); });
    texts_->answer.finish([&](std::string_view text) { texts_->parts.add(text, giving()); });
    texts_->parts.finish(giving());
  }
  take_text_calls();
  for (ToolCall& call : step_.calls) {
    if (call.name.empty()) call.name = "unknown";
    announce(call);
  }
  if (!step_.calls.empty()) {
    step_.text = answer_.said(EventType::kTextDelta, text_, before_);
    if (step_.reasoning.empty()) {
      step_.reasoning = answer_.said(EventType::kReasoningDelta, reasoning_, before_);
    }
  }
}

void StepSink::note_output() {
  if (!step_.first_token) step_.first_token = clock_.steady_now();
}

}  // namespace quarry::ask
