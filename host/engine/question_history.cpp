#include "engine/question_history.h"

#include "engine/budget.h"

#include <algorithm>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>

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

std::string_view status_of(const ask::Record& record) {
  if (record.failed) return history::kFailed;
  if (record.outcome == "cancelled") return history::kStopped;
  return record.outcome == "stop" ? history::kAnswered : history::kCut;
}

/// True if a model may read the turn as one before its question.
bool is_continued(const history::Turn& turn) {
  return !turn.answer.empty() &&
         (turn.status == history::kAnswered || turn.status == history::kCut);
}

history::Turn turn_of(const ask::Record& record) {
  Money cost;
  for (const auto& call : record.calls) cost = cost + call.cost.total();
  std::string citations = record.cited ? record.cited->json() : std::string();
  return {.question = record.question,
          .answer = record.answer,
          .question_id = record.id,
          .resources = record.named,
          .status = std::string(status_of(record)),
          .finish_reason = record.failed ? std::string() : record.outcome,
          .asked = record.started,
          .cost = cost,
          .details = record.details,
          .citations = citations.empty() ? "[]" : std::move(citations)};
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
  if (record.question.empty()) return entry;  // calls of search by meaning
  entry.turn = turn_of(record);
  entry.origin = {.single = record.thread.empty(), .project = record.project};
  if (record.thread.empty()) entry.question.thread = record.id;
  return entry;
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

QuestionHistory::QuestionHistory(Parts parts)
    : io_(parts.io),
      clock_(parts.clock),
      history_({std::move(parts.file), parts.workers, std::move(parts.redact),
                std::move(parts.redact_json), std::move(parts.warn), std::move(parts.keep)}) {}

void QuestionHistory::record(const ask::Record& record) {
  history_.record(entry_of(record));
}

history::History& QuestionHistory::settled() {
  // A client that saw the last event of a question must find the question in the history: it is
  // recorded in the same iteration of the I/O loop.
  boost::asio::post(io_, boost::asio::use_future).wait();
  return history_;
}

std::size_t QuestionHistory::load_thread(QuestionRequest& asked) {
  if (!asked.thread.empty()) {
    auto thread = settled().thread(asked.thread);
    if (thread && *thread) {
      std::vector<std::string> named;
      for (auto& turn : (*thread)->turns) {
        if (!is_continued(turn)) continue;
        asked.history.push_back({std::move(turn.question), std::move(turn.answer)});
        named = std::move(turn.resources);
      }
      if (asked.resources.empty()) asked.resources = std::move(named);
    }
  }
  return drop_oldest(asked.history);
}

Result<Money> QuestionHistory::left_of_budget(Money budget) {
  const auto now = clock_.now();
  const auto spent = settled().spent(month_begin(now));
  if (!spent) {
    return Error(spent.error()).in("the monthly budget cannot be checked");
  }
  return left_of(budget, *spent, now);
}

Status QuestionHistory::apply_budget(std::optional<Money> budget, ask::Request& request) {
  if (!budget || std::ranges::all_of(request.models, &ask::Candidate::local)) return {};
  const auto left = left_of_budget(*budget);
  if (!left) return left.error();
  auto& most = request.limits.max_cost;
  most = std::min(most.value_or(*left), *left);
  return {};
}

}  // namespace quarry::engine
