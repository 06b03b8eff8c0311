#pragma once

#include "engine/methods/method_table.h"
#include "engine/question_history.h"

namespace quarry::engine {

/// usage.report and threads.*
class HistoryMethods {
 public:
  /// Both must outlive it.
  HistoryMethods(QuestionHistory& history, const Clock& clock) : history_(history), clock_(clock) {}
  /// Adds its rows, which this must outlive.
  void add_to(MethodTable& table);

 private:
  Answer report_usage(const Json& params);
  Answer list_threads(const Json& params);
  Answer find_threads(const std::string& words);
  Answer rename_thread(const Json& params);
  Answer show_thread(const Json& params);
  Answer remove_thread(const Json& params);

  QuestionHistory& history_;
  const Clock& clock_;
};

}  // namespace quarry::engine
