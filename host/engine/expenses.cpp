#include "engine/expenses.h"

namespace quarry::engine {
namespace {

void add_count(std::optional<std::int64_t>& sum, std::int64_t count) {
  if (count >= 0) sum = saturating_sum(sum.value_or(0), count);
}

}  // namespace

void Expenses::add(const ask::Record& record) {
  Expense expense;
  expense.question = record.question;
  for (const auto& call : record.calls) {
    add_count(expense.input_tokens, call.usage.input);
    add_count(expense.output_tokens, call.usage.output);
    expense.cost = expense.cost + call.cost.total();
  }
  std::unique_lock lock(mutex_);
  if (auto waits = waiting_.extract(record.id)) {
    lock.unlock();
    waits.mapped()(std::move(expense));
    return;
  }
  expenses_[record.id] = std::move(expense);
  order_.push_back(record.id);
  if (order_.size() > kMost) {
    expenses_.erase(order_.front());
    order_.pop_front();
  }
}

void Expenses::take(const std::string& question, bool runs, Use use) {
  std::optional<Expense> known;
  {
    const std::lock_guard lock(mutex_);
    if (auto found = expenses_.extract(question)) {
      known = std::move(found.mapped());
    } else if (runs && waiting_.try_emplace(question, use).second) {
      return;
    }
  }
  use(std::move(known));
}

}  // namespace quarry::engine
