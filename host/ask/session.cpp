#include "ask/session.h"

#include "ask/await_all.h"
#include "ask/question_spans.h"
#include "ask/resource_failure.h"
#include "ask/system_prompt.h"
#include "base/time_text.h"
#include "corpus/tools/page_notes.h"

#include <functional>

#include <nlohmann/json.hpp>

namespace quarry::ask {
namespace {

std::string_view wire_name(plugins::Finish reason) {
  switch (reason) {
    case plugins::Finish::kStop:
      return "stop";
    case plugins::Finish::kLength:
      return "length";
    case plugins::Finish::kToolCalls:
      return "stop";
    case plugins::Finish::kContentFilter:
      return "contentFilter";
  }
  return "stop";
}

std::string name_of(const WantedResource& wanted) {
  return wanted.resource.value("name", std::string());
}

std::string unready(const WantedResource& wanted) {
  return "the resource \"" + name_of(wanted) + "\" of type " +
         wanted.resource.value("type", std::string()) +
         (wanted.plugin.empty() ? "" : " (plugin " + wanted.plugin + ')') + " was not ready";
}

std::vector<ResourceVersion> versions_of(const std::vector<CitableResource>& resources) {
  std::vector<ResourceVersion> out;
  for (const auto& each : resources) out.push_back({each.name, each.version});
  return out;
}

}  // namespace

Session::Session(const QuestionServices& services, Request request, std::shared_ptr<EventLog> log,
                 std::shared_ptr<CitedSources> cited, std::stop_token stop,
                 const std::atomic<StopReason>& reason)
    : services_(services),
      request_(std::move(request)),
      log_(std::move(log)),
      cited_(std::move(cited)),
      stop_(std::move(stop)),
      stop_reason_(reason),
      started_(services.clock.steady_now()),
      asked_at_(services.clock.now()),
      span_(question_span(request_)),
      answer_(log_),
      calls_(services, request_, services::SpanParent(span_), answer_, started_, stop_) {
  request_.subject = question_subject(request_, span_);
}

Task<void> Session::run() {
  try {
    co_await answer();
  } catch (const std::exception& thrown) {
    // Readers wait for the last event, so the question gets one whatever failed.
    end_with(Error(Code::kInternal, "the question failed: " + std::string(thrown.what()))
                 .tagged("AgentError"));
    release_snapshots();
    log_->finish(EventType::kError, error_event(ending_->error()));
  }
  end_question_span(span_, {*ending_, calls_.bill().usage(), calls_.candidate(), *log_});
  const services::LogScope scope(request_.subject);
  write_record();
}

Task<void> Session::answer() {
  co_await prepare();
  if (!ending_ && stop_.stop_requested()) end_stopped();
  for (std::uint32_t number = 1; !ending_; ++number) co_await take_step(number);
  co_await finish();
}

Task<void> Session::prepare() {
  const auto begin = services_.clock.steady_now();
  auto start = [this](std::size_t i, auto done) { prepare_resource(request_.resources[i], done); };
  auto all = co_await await_all<Result<resources::Prepared>>(request_.resources.size(), start);
  preparing_ = services_.clock.steady_now() - begin;
  start_conversation(std::move(all));
}

void Session::prepare_resource(const WantedResource& wanted, resources::Library::OnPrepared done) {
  const services::LogScope scope(request_.subject);
  const auto report = [log = log_](std::string_view event) {
    log->append(EventType::kResourceProgress, event);
  };
  ask::prepare(services_.library, services_.clock, wanted, services::SpanParent(span_), stop_,
               report, std::move(done));
}

void Session::start_conversation(Preparations all) {
  auto wanted = std::exchange(request_.resources, {});
  PreparedResources found;
  std::vector<corpus::Source> sources;
  std::vector<CitableResource> citables;
  std::vector<WantedResource> used;
  std::vector<Error> causes;
  for (std::size_t i = 0; i < all.size(); ++i) {
    Result<resources::Prepared>& result = all[i];
    const std::string name = name_of(wanted[i]);
    found.names.push_back(name);
    if (result) {
      sources.push_back({name, std::move(result->snapshot)});
      result->name = name;
      citables.push_back(citable(*result));
      found.ready.push_back(std::move(*result));
      if (request_.locked && !wanted[i].prepare_options.locked) found.unlocked.insert(name);
      used.push_back(std::move(wanted[i]));
    } else {
      if (stop_.stop_requested()) {
        unfinished_ = unready(wanted[i]);
        waits_for_resource_ = true;
      }
      found.failed.push_back({name, result.error().message});
      causes.push_back(std::move(result.error()));
    }
  }
  const bool stopped = stop_.stop_requested();
  if (stopped) found.failed.clear();
  if ((sources.empty() || request_.locked) && !stopped && !causes.empty()) {
    versions_ = versions_of(citables);
    return end_with(resource_failure(std::move(causes)));
  }
  sources_.emplace(
      QuestionSources::Opened{corpus::Collection(std::move(sources), services_.search_models),
                              std::move(citables)},
      used);
  tools_.emplace(log_, services::SpanParent(span_), services_.clock, services_.workers,
                 services_.tools.names,
                 [this](auto&&... call) { run_tool(std::forward<decltype(call)>(call)...); });
  write_meta(found);
  write_notices(found);
  conversation_.emplace(system_rules(services_.has_symbols), resource_list(found),
                        services_.tools.json, std::exchange(request_.history, {}), request_.text);
}

Task<void> Session::take_step(std::uint32_t number) {
  Step step;
  const auto outcome = co_await calls_.ask(number, *conversation_, step);
  if (outcome.asked) steps_ = number;
  if (!continues(outcome, step)) co_return;
  if (step.calls.empty()) co_return;  // the model was asked to correct itself
  conversation_->add_step(step, calls_.candidate());
  co_await use_tools(step);
  if (stop_.stop_requested() || log_->overflowed()) end_stopped();
}

bool Session::continues(const ModelCalls::Outcome& outcome, Step& step) {
  if (!outcome.asked) {
    // The text so far counts as an answer.
    if (outcome.refused && !answer_.has_text()) {
      end_with(*outcome.refused);
    } else {
      end_with(outcome.limit);
    }
  } else if (stop_.stop_requested() || log_->overflowed()) {
    refuse_calls(step, "the question was stopped");
    unfinished_ = "the model " + calls_.candidate().provider + '/' + calls_.candidate().name +
                  " had not finished";
    end_stopped();
  } else if (step.error && is_malformed_call(*step.error) && !corrected_ && outcome.limit.empty()) {
    refuse_calls(step, "the call could not be read");
    step.calls.clear();
    corrected_ = true;
    conversation_->add_correction();
  } else if (step.error) {
    refuse_calls(step, "the model failed before it finished the call");
    end_with(model_failure(calls_.failed(), calls_.candidate(), *step.error));
  } else if (step.calls.empty()) {
    end_with(wire_name(*step.finish));
  } else if (!outcome.limit.empty() || *step.finish == plugins::Finish::kLength) {
    refuse_calls(step, "no more steps are allowed");
    end_with(outcome.limit.empty() ? "length" : outcome.limit);
  }
  return !ending_;
}

Task<void> Session::use_tools(const Step& step) {
  const auto begin = services_.clock.steady_now();
  const auto outcomes = co_await await_one<std::vector<ToolOutcome>>([&](auto done) {
    const services::LogScope scope(request_.subject);
    tools_->run(step.calls, stop_, done);
  });
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const ToolCall& call = step.calls[i];
    conversation_->add_result(call, outcomes[i].text, outcomes[i].failed);
    tool_items_.push_back(tool_item(call.id, call.name, outcomes[i].state));
  }
  working_ += services_.clock.steady_now() - begin;
}

void Session::run_tool(std::string_view tool, const Json& arguments, const std::stop_token& stop,
                       const std::function<void(Result<ToolResult>)>& done) {
  auto opened = sources_->opened();
  auto result = services_.run_tool(opened->collection, tool, arguments, stop);
  if (stop.stop_requested() || !is_damaged(opened->collection)) {
    opened.reset();  // the question may end before this returns
    return done(std::move(result));
  }
  const auto prepare = std::bind_front(&Session::prepare_resource, this);
  sources_->renew(
      opened, prepare,
      [this, tool = std::string(tool), &arguments, stop, done,
       result = std::move(result)](QuestionSources::OpenedPointer better) {
        if (!better) return done(result);
        services_.workers.submit([this, tool, &arguments, stop, done, better]() mutable {
          auto again = services_.run_tool(better->collection, tool, arguments, stop);
          better.reset();
          done(std::move(again));
        });
      });
}

void Session::release_snapshots() {
  tools_.reset();
  if (sources_) versions_ = versions_of(sources_->opened()->resources);
  sources_.reset();
}

Task<void> Session::finish() {
  if (!*ending_) {
    release_snapshots();
    metrics_ = metrics();
    log_->finish(EventType::kError, error_event(ending_->error()));
    co_return;
  }
  using Sources = std::vector<CitedSource>;
  Sources sources;
  if (answer_.has_text()) {
    sources = co_await await_one<Sources>(
        [this](auto done) { services_.workers.submit([this, done] { done(cited()); }); });
  }
  if (sources_) write_damage(sources_->opened()->collection);
  std::vector<std::string> items;
  for (const CitedSource& source : sources) {
    items.push_back(source.citation);
    log_->append(EventType::kCitation, typed_event(EventType::kCitation, source.citation));
  }
  cited_->set(std::move(sources));
  release_snapshots();
  metrics_ = metrics();
  log_->finish(EventType::kDone, done_event(items));
}

/// The text and the snapshots are released before the session continues.
std::vector<CitedSource> Session::cited() const {
  const auto opened = sources_->opened();
  const auto found = services_.check_citations(opened->collection, answer_.text());
  return cited_sources(opened->collection, found, citation_items(found, opened->resources));
}

void Session::write_meta(const PreparedResources& resources) {
  const Meta meta{.id = request_.id,
                  .question = request_.text,
                  .thread = request_.thread,
                  .turns_left_out = request_.turns_left_out,
                  .provider = calls_.candidate().provider,
                  .model = calls_.candidate().name,
                  .resources = resources};
  snapshots_ = snapshots_json(resources);
  log_->append(EventType::kMeta, meta_event(meta));
}

/// Notes that the reader gets independently of the model's answer.
void Session::write_notices(const PreparedResources& resources) {
  std::string notice;
  const auto opened = sources_->opened();
  for (const auto& [resource, message] : resources.failed) {
    notice += "Note: \"" + resource + "\" could not be used (" + message +
              "); the answer rests on the other resources.\n";
  }
  for (std::size_t i = 0; i < resources.ready.size(); ++i) {
    const auto& prepared = resources.ready[i];
    const auto& snapshot = opened->collection.sources()[i].snapshot;
    if (snapshot && snapshot->files().empty()) {
      for (const std::string& note : prepared.notes) {
        notice += "Note: \"" + prepared.name + "\": " + note + "\n";
      }
    }
    if (prepared.stale.empty()) continue;
    notice += "Note: \"" + prepared.name + "\" is not current (" + prepared.stale +
              "); its files are of " + rfc3339(prepared.fetched_at) + ".\n";
  }
  if (notice.empty()) return;
  notice.pop_back();
  DeltaState host;
  answer_.add(EventType::kTextDelta, host, notice);
}

void Session::write_damage(const corpus::Collection& collection) {
  if (!is_damaged(collection)) return;
  DeltaState host;
  const std::string note = corpus::damage_note(collection);
  if (!note.empty()) answer_.add(EventType::kTextDelta, host, note);
}

void Session::refuse_calls(const Step& step, std::string_view why) {
  const auto outcomes = tools_->refuse(step.calls, why);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    tool_items_.push_back(tool_item(step.calls[i].id, step.calls[i].name, outcomes[i].state));
  }
}

void Session::end_stopped() {
  if (log_->overflowed()) {
    Error full(Code::kInternal,
               "the answer is larger than " + std::to_string(request_.limits.max_event_bytes) +
                   " bytes of events",
               "Raise server.max_event_bytes, or ask a narrower question.");
    return end_with(std::move(full).tagged("AgentError"));
  }
  if (stop_reason_ == StopReason::kWithdrawn) {
    return end_with(Error(Code::kUnauthenticated, "the token was revoked or has expired",
                          "Ask the owner of this server for another one.")
                        .tagged("AuthenticationError"));
  }
  if (stop_reason_ != StopReason::kTime) return end_with("cancelled");
  if (answer_.has_text()) return end_with("maxSeconds");
  Error late(Code::kDeadlineExceeded,
             "no answer within " + std::to_string(request_.limits.max_time.count() / 1000) + " s" +
                 (unfinished_.empty() ? "" : ": " + unfinished_),
             waits_for_resource_
                 ? "Ask again later: its source may be slow, or its plugin may hang, "
                   "of which the log tells more."
                 : "Raise model.max_seconds, or choose a faster model.");
  end_with(std::move(late).tagged("TimeoutError"));
}

}  // namespace quarry::ask
