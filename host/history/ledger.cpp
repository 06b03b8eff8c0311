#include "history/ledger.h"

#include "base/text.h"

namespace quarry::history {
namespace {

Value value_of(std::optional<std::int64_t> count) {
  return count ? Value(*count) : Value(nullptr);
}

Money charged_for(const std::vector<Call>& calls) {
  Money sum;
  for (const Call& call : calls) sum = sum + call.charged.value_or(call.cost);
  return sum;
}

// SUM fails beyond the range of an integer, and a server may report any count. TOTAL is exact to
// 2^53, which is nine million dollars; more is clamped.
constexpr std::string_view kSums =
    "COUNT(DISTINCT IIF(question.outcome = 'retrieval', NULL, question.id)), COUNT(call.position),"
    " CAST(TOTAL(call.input) AS INTEGER), CAST(TOTAL(call.output) AS INTEGER),"
    " CAST(TOTAL(call.reasoning) AS INTEGER), CAST(TOTAL(call.cache_read) AS INTEGER),"
    " CAST(TOTAL(call.cache_write) AS INTEGER), CAST(TOTAL(call.cost) AS INTEGER),"
    " SUM(call.unpriced <> '')";
constexpr std::string_view kSpent =
    "SELECT CAST(TOTAL(cost) AS INTEGER) FROM question WHERE started >= ?";

/// Parts of a grouped query: the row key, and the tables beside `question` that it needs.
struct Grouping {
  std::string_view key;
  std::string_view join;
  std::string_view order;
};

constexpr std::string_view kCalls = " LEFT JOIN call ON call.question = question.id";
constexpr Grouping kAll{"''", kCalls, ""};

Grouping grouping(By by) {
  switch (by) {
    case By::kModel:
      return {"call.provider || IIF(call.model = '', '', '/' || call.model)",
              " JOIN call ON call.question = question.id", " GROUP BY 1 ORDER BY 9 DESC, 1"};
    case By::kResource:
      return {"question_resource.name",
              " JOIN question_resource ON question_resource.question = question.id"
              " LEFT JOIN call ON call.question = question.id",
              " GROUP BY 1 ORDER BY 9 DESC, 1"};
    case By::kDay:
      return {"DATE(question.started / 1000, 'unixepoch')", kCalls, " GROUP BY 1 ORDER BY 1"};
  }
  return kAll;
}

std::string statement(const Grouping& grouping) {
  std::string out = "SELECT ";
  out.append(grouping.key).append(", ").append(kSums).append(" FROM question");
  out.append(grouping.join).append(" WHERE question.started >= ?").append(grouping.order);
  return out;
}

UsageRow row_of(const Row& row) {
  return {row.text(0),
          {.questions = row.integer(1),
           .calls = row.integer(2),
           .input = row.integer(3),
           .output = row.integer(4),
           .reasoning = row.integer(5),
           .cache_read = row.integer(6),
           .cache_write = row.integer(7),
           .cost = {row.integer(8)},
           .unpriced_calls = row.integer(9)}};
}

}  // namespace

Status Ledger::add(const Question& question) {
  const auto duration =
      std::chrono::duration_cast<std::chrono::milliseconds>(question.duration).count();
  Status done = database_.run(
      "INSERT INTO question (id, started, duration_ms, outcome, thread, cost)"
      " VALUES (?, ?, ?, ?, ?, ?)",
      {question.id, to_milliseconds(question.started), duration, question.outcome, question.thread,
       charged_for(question.calls).nanos});
  for (std::size_t i = 0; done && i < question.resources.size(); ++i) {
    const Resource& resource = question.resources[i];
    done = database_.run("INSERT INTO question_resource (question, name, version) VALUES (?, ?, ?)",
                         {question.id, resource.name, resource.version});
  }
  for (std::size_t i = 0; done && i < question.calls.size(); ++i) {
    const Call& call = question.calls[i];
    const std::string unpriced = join(call.unpriced, " ");
    done = database_.run(
        "INSERT INTO call (question, position, provider, model, input, output, reasoning,"
        " cache_read, cache_write, cost, unpriced, source, catalogue_date, failed)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        {question.id, static_cast<std::int64_t>(i), call.provider, call.model, value_of(call.input),
         value_of(call.output), value_of(call.reasoning), value_of(call.cache_read),
         value_of(call.cache_write), call.cost.nanos, unpriced, call.source, call.catalogue_date,
         std::int64_t{call.failed}});
  }
  return done;
}

Result<Money> Ledger::spent(Time since) {
  Money sum;
  const Status read = database_.each(kSpent, {to_milliseconds(since)},
                                     [&](const Row& row) { sum.nanos = row.integer(0); });
  if (!read) return read.error();
  return sum;
}

Result<Usage> Ledger::usage(Time since, By by) {
  Usage usage;
  Status read = database_.each(statement(grouping(by)), {to_milliseconds(since)},
                               [&](const Row& row) { usage.rows.push_back(row_of(row)); });
  if (read) {
    read = database_.each(statement(kAll), {to_milliseconds(since)},
                          [&](const Row& row) { usage.total = row_of(row).sums; });
  }
  if (!read) return read.error();
  return usage;
}

Status Ledger::forget(Time before) {
  return database_.run("DELETE FROM question WHERE started < ?", {to_milliseconds(before)});
}

}  // namespace quarry::history
