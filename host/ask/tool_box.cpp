#include "ask/tool_box.h"

#include "ask/conversation.h"
#include "ask/question_spans.h"

#include <nlohmann/json.hpp>

namespace quarry::ask {

/// One distinct tool run and the calls that wait for it.
struct ToolBox::Job {
  std::string key;
  std::string tool;
  Json arguments;
  std::string input;
  std::vector<std::size_t> calls;
};

struct ToolBox::Batch {
  std::vector<ToolCall> calls;
  std::vector<Job> jobs;
  std::vector<ToolOutcome> outcomes;
  std::stop_token stop;
  std::function<void(std::vector<ToolOutcome>)> done;
  std::mutex mutex;
  std::size_t left = 0;
  std::vector<std::pair<std::string, Answered>> learnt;
};

ToolBox::ToolBox(std::shared_ptr<EventLog> log, const services::SpanParent& trace,
                 const Clock& clock, Executor& workers, const ToolNames& tools, RunTool run)
    : log_(std::move(log)),
      trace_(trace),
      clock_(clock),
      workers_(workers),
      tools_(tools),
      run_(std::move(run)) {}

void ToolBox::run(const std::vector<ToolCall>& calls, std::stop_token stop,
                  std::function<void(std::vector<ToolOutcome>)> done) {
  const auto batch = std::make_shared<Batch>();
  batch->calls = calls;
  batch->outcomes.resize(calls.size());
  batch->stop = std::move(stop);
  batch->done = std::move(done);
  std::map<std::string, std::size_t> jobs;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const ToolCall& call = calls[i];
    const std::int64_t now = epoch_ms(clock_.now());
    auto arguments = parse_arguments(call);
    if (!arguments) {
      batch->outcomes[i] = report(call, "{}", arguments.error(), now);
      continue;
    }
    std::string input = to_text(*arguments);
    log_->append(EventType::kToolUpdated,
                 tool_updated(call.id, call.name, running_state(input, now)));
    const std::string key = call.name + "\n" + input;
    if (const auto known = memory_.find(key); known != memory_.end()) {
      batch->outcomes[i] = report(call, input, known->second, now);
      continue;
    }
    const auto [found, fresh] = jobs.try_emplace(key, batch->jobs.size());
    if (fresh) {
      batch->jobs.push_back({key, call.name, std::move(*arguments), std::move(input), {}});
    }
    batch->jobs[found->second].calls.push_back(i);
  }
  batch->left = batch->jobs.size();
  if (batch->left == 0) return batch->done(std::move(batch->outcomes));
  for (const Job& job : batch->jobs) {
    workers_.submit([this, batch, &job] { work(batch, job); });
  }
}

void ToolBox::work(const std::shared_ptr<Batch>& batch, const Job& job) {
  const std::int64_t start = epoch_ms(clock_.now());
  if (batch->stop.stop_requested()) {
    return take(batch, job, Error{Code::kCancelled, "the question was stopped"}, start);
  }
  const auto span = std::make_shared<services::RunningSpan>(
      tool_span(trace_, batch->calls[job.calls.front()], job.input, tools_));
  run_(job.tool, job.arguments, batch->stop, [this, batch, &job, span, start](Answered answered) {
    end_tool_span(*span, answered);
    take(batch, job, answered, start);
  });
}

void ToolBox::take(const std::shared_ptr<Batch>& batch, const Job& job, const Answered& answered,
                   std::int64_t start) {
  std::vector<ToolOutcome> outcomes;
  for (const std::size_t i : job.calls) {
    outcomes.push_back(report(batch->calls[i], job.input, answered, start));
  }
  bool last = false;
  {
    const std::lock_guard lock(batch->mutex);
    for (std::size_t n = 0; n < outcomes.size(); ++n) {
      batch->outcomes[job.calls[n]] = std::move(outcomes[n]);
    }
    if (answered || answered.error().code != Code::kCancelled) {
      batch->learnt.emplace_back(job.key, answered);
    }
    last = --batch->left == 0;
  }
  if (!last) return;
  for (auto& [key, value] : batch->learnt) memory_.emplace(std::move(key), std::move(value));
  batch->done(std::move(batch->outcomes));
}

std::vector<ToolOutcome> ToolBox::refuse(const std::vector<ToolCall>& calls, std::string_view why) {
  std::vector<ToolOutcome> out;
  const std::int64_t now = epoch_ms(clock_.now());
  for (const auto& call : calls) {
    const auto arguments = parse_arguments(call);
    out.push_back(report(call, arguments ? to_text(*arguments) : "{}",
                         Error{Code::kCancelled, std::string(why)}, now));
  }
  return out;
}

ToolOutcome ToolBox::report(const ToolCall& call, const std::string& input,
                            const Answered& answered, std::int64_t start) {
  const ToolTime time{start, epoch_ms(clock_.now())};
  ToolOutcome out;
  if (answered) {
    out.text = answered->output;
    out.state = completed_state(input, answered->output, answered->title, answered->metadata, time);
  } else {
    out.failed = true;
    out.text = answered.error().message;
    if (!answered.error().hint.empty()) out.text += " " + answered.error().hint;
    out.state = error_state(input, out.text, time);
  }
  log_->append(EventType::kToolUpdated, tool_updated(call.id, call.name, out.state));
  return out;
}

}  // namespace quarry::ask
