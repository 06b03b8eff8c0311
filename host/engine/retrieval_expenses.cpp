#include "engine/retrieval_expenses.h"

#include "ask/bill.h"
#include "base/json.h"
#include "base/random.h"
#include "history/ledger.h"

#include <string>

namespace quarry::engine {
namespace {

Error unknown_price(const ask::Candidate& candidate) {
  const std::string key = candidate.provider + "/" + candidate.name;
  return Error{Code::kInvalidArgument,
               "the input price of " + key + " is unknown, and a monthly budget applies",
               "Under [pricing.static], add " + json_string(key) +
                   R"( = { input = "…" } (USD per million tokens), )"
                   R"(or set unpriced = "allow" under [model].)"}
      .tagged("ConfigError");
}

}  // namespace

void RetrievalExpenses::use(QuestionHistory& history) {
  const std::lock_guard lock(mutex_);
  history_ = &history;
}

QuestionHistory* RetrievalExpenses::history() const {
  const std::lock_guard lock(mutex_);
  return history_;
}

Status RetrievalExpenses::check(const ask::Candidate& candidate, std::optional<Money> budget,
                                bool allow_unpriced) {
  if (!budget || candidate.local) return {};
  const bool priced = candidate.rates && candidate.rates->rates.input;
  if (!priced && !allow_unpriced) return unknown_price(candidate);
  QuestionHistory* const history = this->history();
  if (history == nullptr) {
    return Error(Code::kUnavailable, "the monthly budget cannot be checked yet");
  }
  const auto left = history->left_of_budget(*budget);
  return left ? Status() : Status(left.error());
}

void RetrievalExpenses::record(const ask::Candidate& candidate, const plugins::Usage& usage,
                               bool failed) {
  QuestionHistory* const history = this->history();
  if (history == nullptr) return;
  ask::Bill bill;
  bill.add(candidate, usage, failed);
  ask::Record record;
  record.id = random_hex(16);
  record.outcome = history::kRetrieval;
  record.started = clock_.now();
  record.calls = bill.take_calls();
  history->record(record);
}

}  // namespace quarry::engine
