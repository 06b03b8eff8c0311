#include "base/time_text.h"
#include "engine/budget.h"
#include "engine/requests.h"
#include "engine/running_engine.h"
#include "engine/usage_report.h"
#include "history/history.h"

#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>
#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

/// Limit for the turns before a question, in bytes of their text.
constexpr std::size_t kMaxHistoryBytes = 64u << 10;

std::optional<std::int64_t> counted(std::int64_t tokens) {
  return tokens < 0 ? std::nullopt : std::optional(tokens);
}

history::Call call_of(const ask::CallRecord& call) {
  return {.provider = call.provider,
          .model = call.model,
          .input = counted(call.usage.input),
          .output = counted(call.usage.output),
          .reasoning = counted(call.usage.reasoning),
          .cache_read = counted(call.usage.cache_read),
          .cache_write = counted(call.usage.cache_write),
          .cost = call.cost.total(),
          .charged = call.charged,
          .unpriced = call.cost.unpriced,
          .source = call.source,
          .catalogue_date = call.catalogue_date,
          .failed = call.failed};
}

/// True if the question ended with an answer: outcomes are finish reasons, or tags of errors, which
/// begin with a capital letter. A cancelled answer cannot be continued.
bool is_answered(const ask::Record& record) {
  return !record.answer.empty() && record.outcome != "cancelled" && !record.outcome.empty() &&
         record.outcome.front() >= 'a' && record.outcome.front() <= 'z';
}

history::Entry entry_of(const ask::Record& record) {
  history::Entry entry{{.id = record.id,
                        .thread = record.thread,
                        .outcome = record.outcome,
                        .started = record.started,
                        .duration = record.duration,
                        .calls = {},
                        .resources = {}},
                       {}};
  for (const auto& call : record.calls) entry.question.calls.push_back(call_of(call));
  for (const auto& [name, version] : record.resources) {
    entry.question.resources.push_back({name, version});
  }
  if (!record.thread.empty() && is_answered(record)) {
    entry.turn = history::Turn{record.question, record.answer, record.id, record.named};
  }
  return entry;
}

Json summary_json(const history::ThreadSummary& thread) {
  return {{"id", thread.id},
          {"title", thread.title},
          {"created", rfc3339(thread.created)},
          {"updated", rfc3339(thread.updated)},
          {"turns", thread.turns}};
}

Error no_thread(const std::string& id) {
  return Error{Code::kNotFound, "there is no thread \"" + id + "\"",
               "\"quarry threads\" lists those that are kept."}
      .tagged("NotFound");
}

/// Drops the oldest turns until the rest fits; returns their number.
std::size_t drop_oldest(std::vector<ask::Turn>& turns) {
  std::size_t bytes = 0;
  std::size_t kept = 0;
  for (auto turn = turns.rbegin(); turn != turns.rend(); ++turn, ++kept) {
    bytes += turn->question.size() + turn->answer.size();
    if (bytes > kMaxHistoryBytes) break;
  }
  const std::size_t left_out = turns.size() - kept;
  turns.erase(turns.begin(), turns.end() - static_cast<std::ptrdiff_t>(kept));
  return left_out;
}

}  // namespace

Status RunningEngine::begin_history(ask::QuestionServices& services) {
  const auto directory = host_services_->paths.state();
  if (!directory) return directory.error();
  history_ = std::make_unique<history::History>(history::History::Parts{
      *directory / "history.db", host_services_->workers,
      [this](std::string_view text) { return host_services_->redactor.redact(text); },
      [this](const Error& error) { warn_of_history(error); }});
  services.record = [this](const ask::Record& record) { history_->record(entry_of(record)); };
  return {};
}

void RunningEngine::warn_of_history(const Error& error) {
  host_services_->log.warning("history", error.message + ". " + error.hint);
}

history::History& RunningEngine::settled_history() {
  // A client that saw the last event of a question must find the question in the history: it is
  // recorded in the same iteration of the I/O loop.
  boost::asio::post(host_services_->io, boost::asio::use_future).wait();
  return *history_;
}

std::size_t RunningEngine::load_thread(QuestionRequest& asked) {
  if (!asked.thread.empty()) {
    auto thread = settled_history().thread(asked.thread);
    if (thread && *thread) {
      std::vector<std::string> named;
      for (auto& turn : (*thread)->turns) {
        asked.history.push_back({std::move(turn.question), std::move(turn.answer)});
        named = std::move(turn.resources);
      }
      if (asked.resources.empty()) asked.resources = std::move(named);
    }
  }
  return drop_oldest(asked.history);
}

Status RunningEngine::apply_budget(std::optional<Money> budget, ask::Request& request) {
  if (!budget || std::ranges::all_of(request.models, &ask::Candidate::local)) return {};
  const auto now = host_services_->clock.now();
  const auto spent = settled_history().spent(month_begin(now));
  if (!spent) {
    return Error(spent.error()).in("the monthly budget cannot be checked");
  }
  const auto left = left_of(*budget, *spent, now);
  if (!left) return left.error();
  auto& most = request.limits.max_cost;
  most = std::min(most.value_or(*left), *left);
  return {};
}

RunningEngine::Answer RunningEngine::report_usage(std::string_view params) {
  const auto request = read_usage(params, host_services_->clock.now());
  if (!request) return request.error();
  const auto usage = settled_history().usage(request->since.value_or(Clock::Wall()), request->by);
  if (!usage) return usage.error();
  return usage_report(*request, *usage);
}

RunningEngine::Answer RunningEngine::list_threads(std::string_view) {
  const auto threads = settled_history().threads();
  if (!threads) return threads.error();
  Json list = Json::array();
  for (const auto& thread : *threads) list.push_back(summary_json(thread));
  return to_text({{"threads", std::move(list)}});
}

RunningEngine::Answer RunningEngine::show_thread(std::string_view params) {
  const auto id = read_id(params);
  if (!id) return id.error();
  const auto thread = settled_history().thread(*id);
  if (!thread) return thread.error();
  if (!*thread) return no_thread(*id);
  Json out = summary_json((*thread)->summary);
  out["turns"] = Json::array();
  for (const auto& turn : (*thread)->turns) {
    out["turns"].push_back({{"question", turn.question},
                            {"answer", turn.answer},
                            {"questionId", turn.question_id},
                            {"resources", turn.resources}});
  }
  return to_text(out);
}

RunningEngine::Answer RunningEngine::remove_thread(std::string_view params) {
  const auto id = read_id(params);
  if (!id) return id.error();
  const auto removed = settled_history().remove_thread(*id);
  if (!removed) return removed.error();
  if (!*removed) return no_thread(*id);
  return to_text({{"success", true}, {"id", *id}});
}

}  // namespace quarry::engine
