#pragma once

#include "ask/question.h"
#include "base/clock.h"
#include "base/decimal.h"
#include "base/error.h"
#include "engine/requests.h"
#include "history/history.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace quarry::engine {

/// The history of the engine's questions: what they used, and the turns of conversations.
/// Thread-safe.
class QuestionHistory {
 public:
  struct Parts {
    std::filesystem::path file;
    boost::asio::io_context& io;  ///< on which questions end
    Executor& workers;
    const Clock& clock;
    /// As in history::History::Parts. [worker]
    std::function<std::string(std::string_view)> redact;
    std::function<std::string(std::string)> redact_json;
    std::function<void(const Error&)> warn;
    std::function<std::optional<std::chrono::days>()> keep = {};
  };
  /// Opens no file yet. The references must outlive it.
  explicit QuestionHistory(Parts parts);

  /// Records a question that has ended. Never blocks. [io]
  void record(const ask::Record& record);
  /// The history, with every question whose end a client may have seen. [worker]
  history::History& settled();
  /// Adds the turns of its thread to a question, and returns how many did not fit. A question that
  /// names no resources gets those of the previous turn. If the history cannot be used, the
  /// question is asked without turns. [worker]
  std::size_t load_thread(QuestionRequest& asked);
  /// Rejects a question that may cost money when the month's budget is used up; else limits it to
  /// the rest. Fails if there is a budget and the history cannot be used. [worker]
  Status apply_budget(std::optional<Money> budget, ask::Request& request);

  /// The rest of a monthly budget; RateLimitError when nothing is left, another error if the
  /// history cannot be used. [worker]
  Result<Money> left_of_budget(Money budget);

  /// As in history::History.
  [[nodiscard]] std::optional<Error> problem() const { return history_.problem(); }
  void flush() { history_.flush(); }

 private:
  boost::asio::io_context& io_;
  const Clock& clock_;
  history::History history_;
};

}  // namespace quarry::engine
