#pragma once

#include "history/ledger.h"

namespace quarry::history {

struct Turn {
  std::string question;
  std::string answer;
  std::string question_id;
  std::vector<std::string> resources = {};  ///< in the client's words; empty = all
  std::string finish_reason = {};           ///< read only, from the question; empty = not kept
};

struct ThreadSummary {
  std::string id;
  std::string title;  ///< the first question's first 80 characters, on one line
  Time created;
  Time updated;
  std::int64_t turns = 0;
};

struct Thread {
  ThreadSummary summary;
  std::vector<Turn> turns;  ///< oldest first
};

/// The table of conversations. Threads: like Database.
class Threads {
 public:
  explicit Threads(Database& database) : database_(database) {}

  /// Appends a turn and creates a missing thread, within a transaction of the caller.
  Status add(std::string_view thread, const Turn& turn, Time at);
  /// Most recently updated first.
  Result<std::vector<ThreadSummary>> list();
  /// Nothing if there is no such thread.
  Result<std::optional<Thread>> find(std::string_view id);
  /// Removes the thread and overwrites its text in the file; false if there is no such thread.
  Result<bool> remove(std::string_view id);
  /// Removes threads that were last continued before a time.
  Status forget(Time before);

 private:
  Database& database_;
};

}  // namespace quarry::history
