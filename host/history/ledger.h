#pragma once

#include "base/decimal.h"
#include "history/database.h"
#include "history/time.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::history {

/// One model call. Counts that the provider did not report are empty.
struct Call {
  std::string provider;
  std::string model;
  std::optional<std::int64_t> input;
  std::optional<std::int64_t> output;
  std::optional<std::int64_t> reasoning;
  std::optional<std::int64_t> cache_read;
  std::optional<std::int64_t> cache_write;
  Money cost;
  std::optional<Money> charged;       ///< amount counted against a budget; nothing = its cost
  std::vector<std::string> unpriced;  ///< parts without a known rate
  std::string source;                 ///< of the rates; empty = none known
  std::string catalogue_date;
  bool failed = false;
};

/// Outcome of a row that has calls of search by meaning instead of a question. It counts as calls
/// and money, not as a question.
inline constexpr std::string_view kRetrieval = "retrieval";

struct Resource {
  std::string name;
  std::string version;
};

/// Resources, calls and outcome of a question; nothing of its text.
struct Question {
  std::string id;
  std::string thread;   ///< may be empty
  std::string outcome;  ///< the finish reason, or the error's tag
  Time started;
  std::chrono::nanoseconds duration{0};
  std::vector<Call> calls;
  std::vector<Resource> resources;
};

/// Sums over questions. Counts that were not reported are zero.
struct Sums {
  std::int64_t questions = 0;
  std::int64_t calls = 0;
  std::int64_t input = 0;
  std::int64_t output = 0;
  std::int64_t reasoning = 0;
  std::int64_t cache_read = 0;
  std::int64_t cache_write = 0;
  Money cost;
  std::int64_t unpriced_calls = 0;  ///< calls with tokens of unknown price
};

struct UsageRow {
  std::string key;  ///< "provider/model", the resource's name, or the day (UTC)
  Sums sums;
};

/// A question over several resources counts in the row of each; the total counts it once.
struct Usage {
  std::vector<UsageRow> rows;  ///< most expensive first; days in chronological order
  Sums total;
};

enum class By { kModel, kResource, kDay };

/// The table of questions and their cost. Threads: like Database.
class Ledger {
 public:
  explicit Ledger(Database& database) : database_(database) {}

  /// Adds a question within a transaction of the caller.
  Status add(const Question& question);
  /// Amount that questions started at `since` or later count against a budget.
  Result<Money> spent(Time since);
  Result<Usage> usage(Time since, By by);
  /// Removes questions that started before a time.
  Status forget(Time before);

 private:
  Database& database_;
};

}  // namespace quarry::history
