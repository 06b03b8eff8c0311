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
                std::move(parts.warn), std::move(parts.keep)}) {}

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
