#pragma once

#include "ask/record.h"
#include "base/decimal.h"

#include <cstdint>
#include <deque>
#include <functional>
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
  /// Passes on the expense of a question, once: now, or when it ends if it still `runs`. Nothing if
  /// it is not known any more.
  using Use = std::function<void(std::optional<Expense>)>;
  void take(const std::string& question, bool runs, Use use);

 private:
  std::mutex mutex_;
  std::map<std::string, Expense> expenses_;
  std::deque<std::string> order_;
  std::map<std::string, Use> waiting_;  ///< for the ends of questions
};

}  // namespace quarry::engine
