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

/// What a question used.
struct Expense {
  std::optional<std::int64_t> input_tokens;
  std::optional<std::int64_t> output_tokens;
  Money cost;
  std::string question;  ///< its text
};

/// What questions of tokens used, until the audit asks for it; only of the last ones that ended.
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
