#pragma once

#include "ask/record.h"
#include "base/decimal.h"

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace quarry::engine {

/// Usage and cost of a question.
struct Expense {
  std::optional<std::int64_t> input_tokens;
  std::optional<std::int64_t> output_tokens;
  Money cost;
  std::string question;  ///< its text
};

/// Expenses of the last ended questions of callers with tokens, until the audit takes them.
/// Thread-safe.
class Expenses {
 public:
  static constexpr std::size_t kMost = 10'000;
  void add(const ask::Record& record);
  std::optional<Expense> take(const std::string& question);

 private:
  std::mutex mutex_;
  std::map<std::string, Expense> expenses_;
  std::deque<std::string> order_;
};

}  // namespace quarry::engine
