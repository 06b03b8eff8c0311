#include "engine/expenses.h"

namespace quarry::engine {
namespace {

void add_count(std::optional<std::int64_t>& sum, std::int64_t count) {
  if (count >= 0) sum = sum.value_or(0) + count;
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
  const std::lock_guard lock(mutex_);
  expenses_[record.id] = std::move(expense);
  order_.push_back(record.id);
  if (order_.size() <= kMost) return;
  expenses_.erase(order_.front());
  order_.pop_front();
}

std::optional<Expense> Expenses::take(const std::string& question) {
  const std::lock_guard lock(mutex_);
  const auto found = expenses_.find(question);
  if (found == expenses_.end()) return std::nullopt;
  auto expense = std::move(found->second);
  expenses_.erase(found);
  return expense;
}

}  // namespace quarry::engine
