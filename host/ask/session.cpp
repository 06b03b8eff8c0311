#include "ask/session.h"

#include "ask/await_all.h"
#include "ask/citation_list.h"
#include "ask/progress_thinner.h"
#include "ask/resource_failure.h"
#include "ask/system_prompt.h"
#include "base/time_text.h"

#include <nlohmann/json.hpp>

namespace quarry::ask {
namespace asio = boost::asio;

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

}  // namespace

Session::Session(const House& house, const Request& request, std::shared_ptr<EventLog> log,
                 std::stop_token stop, const std::atomic<StopReason>& reason)
    : house_(house),
      request_(request),
      log_(std::move(log)),
      stop_(std::move(stop)),
      stop_reason_(reason),
      started_(house.clock.steady_now()),
      asked_at_(house.clock.now()),
      answer_(log_),
      calls_(house, request, answer_, started_, stop_) {
  meta_.id = request.id;
  meta_.thread = request.thread;
  meta_.turns_left_out = request.turns_left_out;
  meta_.provider = calls_.candidate().provider;
  meta_.model = calls_.candidate().name;
  for (const auto& resource : request.resources) meta_.names.push_back(name_of(resource));
}

asio::awaitable<void> Session::run() {
  const Status prepared = co_await prepare();
  if (!prepared) {
    end_with(prepared.error());
  } else {
    write_meta();
    write_notices();
    Conversation conversation(system_prompt(meta_.prepared, meta_.failed), house_.tools,
                              request_.history, request_.text);
    Next next = stop_.stop_requested() ? Next::kEnded : Next::kGoOn;
    if (next == Next::kEnded) end_stopped();
    for (std::uint32_t number = 1; next == Next::kGoOn; ++number) {
      next = co_await take_step(number, conversation);
    }
  }
  co_await finish();
  write_record();
}

asio::awaitable<Status> Session::prepare() {
  using Prepared = std::optional<Result<resources::Prepared>>;
  const auto begin = house_.clock.steady_now();
  auto start = [this](std::size_t i, auto done) {
    const WantedResource& wanted = request_.resources[i];
    const auto thinner = std::make_shared<ProgressThinner>(
        house_.clock, [log = log_, name = name_of(wanted)](const resources::Progress& at) {
          log->append(EventType::kResourceProgress, progress_event(name, at));
        });
    const auto report = [thinner](const resources::Progress& at) { thinner->report(at); };
    house_.library.prepare(wanted.resource, wanted.wish, stop_, report,
                           [thinner, done](Result<resources::Prepared> result) {
                             thinner->finish(result ? "ready" : "failed");
                             done(Prepared(std::move(result)));
                           });
  };
  std::vector<Prepared> all = co_await await_all<Prepared>(request_.resources.size(), start);
  preparing_ = house_.clock.steady_now() - begin;
  std::vector<corpus::Source> sources;
  std::vector<Error> causes;
  for (std::size_t i = 0; i < all.size(); ++i) {
    Result<resources::Prepared>& result = *all[i];
    const std::string name = name_of(request_.resources[i]);
    if (result) {
      sources.push_back({name, result->snapshot});
      meta_.prepared.push_back(std::move(*result));
      meta_.prepared.back().name = name;
      if (request_.locked && !request_.resources[i].wish.locked) meta_.unlocked.insert(name);
    } else {
      meta_.failed.push_back({name, result.error().message});
      causes.push_back(std::move(result.error()));
    }
  }
  const bool stopped = stop_.stop_requested();
  if (stopped) meta_.failed.clear();
  if ((sources.empty() || request_.locked) && !stopped && !causes.empty()) {
    co_return resource_failure(std::move(causes));
  }
  collection_.emplace(std::move(sources));
  tools_.emplace(log_, house_.clock, house_.workers,
                 [this](std::string_view tool, const Json& arguments, std::stop_token stop) {
                   return house_.run_tool(*collection_, tool, arguments, std::move(stop));
                 });
  co_return Status();
}

asio::awaitable<Session::Next> Session::take_step(std::uint32_t number,
                                                  Conversation& conversation) {
  const auto [asked, limit, refused] = co_await calls_.ask(number, conversation);
  if (!asked) {
    // What has been said already is an answer, if a short one.
    if (refused && !answer_.has_text()) {
      end_with(*refused);
    } else {
      end_with(std::string(limit));
    }
    co_return Next::kEnded;
  }
  const Step& step = *asked;
  steps_ = number;
  if (stop_.stop_requested() || log_->overflowed()) {
    refuse_calls(step, "the question was stopped");
    end_stopped();
    co_return Next::kEnded;
  }
  if (step.error) {
    refuse_calls(step, "the model failed before it finished the call");
    end_with(model_failure(calls_.failed(), calls_.candidate(), *step.error));
    co_return Next::kEnded;
  }
  if (step.calls.empty()) {
    end_with(std::string(wire_name(*step.finish)));
    co_return Next::kEnded;
  }
  if (!limit.empty() || *step.finish == plugins::Finish::kLength) {
    refuse_calls(step, "no more steps are allowed");
    end_with(limit.empty() ? "length" : std::string(limit));
    co_return Next::kEnded;
  }
  conversation.add_step(step, calls_.candidate());
  co_await use_tools(step, conversation);
  if (!stop_.stop_requested() && !log_->overflowed()) co_return Next::kGoOn;
  end_stopped();
  co_return Next::kEnded;
}

asio::awaitable<void> Session::use_tools(const Step& step, Conversation& conversation) {
  using Outcomes = std::vector<ToolOutcome>;
  const auto begin = house_.clock.steady_now();
  auto start = [&](std::size_t, auto done) { tools_->run(step.calls, stop_, done); };
  const std::vector<Outcomes> all = co_await await_all<Outcomes>(1, start);
  const Outcomes& outcomes = all.front();
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const ToolCall& call = step.calls[i];
    conversation.add_result(call, outcomes[i].text, outcomes[i].failed);
    tool_items_.push_back(tool_item(call.id, call.name, outcomes[i].state));
  }
  working_ += house_.clock.steady_now() - begin;
}

void Session::let_go_of_snapshots() {
  tools_.reset();
  collection_.reset();
  for (auto& prepared : meta_.prepared) {
    prepared.snapshot.reset();
    prepared.lease.reset();
  }
}

asio::awaitable<void> Session::finish() {
  if (error_) {
    let_go_of_snapshots();
    log_->finish(EventType::kError, error_event(*error_));
    co_return;
  }
  using Found = std::vector<corpus::Citation>;
  std::vector<std::string> items;
  if (answer_.has_text()) {
    auto start = [this](std::size_t, auto done) {
      house_.workers.submit([this, done] {
        // The text is gone before the session goes on, which makes the next copy of it.
        Found found = house_.check_citations(*collection_, answer_.text());
        done(std::move(found));
      });
    };
    const std::vector<Found> found = co_await await_all<Found>(1, start);
    items = citation_items(found.front(), meta_.prepared);
  }
  for (const auto& item : items) {
    log_->append(EventType::kCitation, R"({"type":"citation",)" + item.substr(1));
  }
  let_go_of_snapshots();
  log_->finish(EventType::kDone, done_event(items));
}

void Session::write_meta() {
  log_->append(EventType::kMeta, meta_event(meta_));
}

/// What a reader must know whatever the model makes of it.
void Session::write_notices() {
  std::string notice;
  for (const auto& [resource, message] : meta_.failed) {
    notice += "Note: \"" + resource + "\" could not be used (" + message +
              "); the answer rests on the other resources.\n";
  }
  for (const auto& prepared : meta_.prepared) {
    if (prepared.stale.empty()) continue;
    notice += "Note: \"" + prepared.name + "\" is not current (" + prepared.stale +
              "); its files are of " + rfc3339(prepared.fetched_at) + ".\n";
  }
  if (notice.empty()) return;
  notice.pop_back();
  Voice host;
  answer_.add(EventType::kTextDelta, host, notice);
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
             "no answer within " + std::to_string(request_.limits.max_time.count() / 1000) + " s",
             "Raise model.max_seconds, or choose a faster model.");
  end_with(std::move(late).tagged("TimeoutError"));
}

}  // namespace quarry::ask
