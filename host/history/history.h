#pragma once

#include "base/executor.h"
#include "history/ledger.h"
#include "history/threads.h"

#include <chrono>
#include <deque>
#include <mutex>

namespace quarry::history {

/// One question to be recorded.
struct Entry {
  Question question;
  std::optional<Turn> turn;  ///< of question.thread; calls without a question have none
  ThreadOrigin origin = {};  ///< of the thread, if the turn begins it
};

/// The questions of a host, in one file that any number of hosts may share. The file is opened on
/// first use; opening is retried each time after a failure, and a damaged file is renamed and
/// replaced by a new one. Thread-safe.
class History {
 public:
  struct Parts {
    std::filesystem::path file;
    Executor& workers;
    /// Removes secrets from the text of a turn. [worker]
    std::function<std::string(std::string_view)> redact;
    /// The same for a JSON text, its strings. [worker]
    std::function<std::string(std::string)> redact_json;
    /// Called for an entry that could not be written, once while the cause stays the same, and for
    /// a damaged file that was renamed. [worker]
    std::function<void(const Error&)> warn;
    /// Age, when an entry is written, beyond which older ones are removed; nothing = none are. May
    /// be empty. [worker]
    std::function<std::optional<std::chrono::days>()> keep = {};
  };
  /// The workers must outlive this; this must outlive their jobs.
  explicit History(Parts parts) : parts_(std::move(parts)) {}

  /// Writes the entry soon, on a worker, in call order. Never blocks.
  void record(Entry entry);
  /// Writes the pending entries on this thread.
  void flush();

  // Each waits for the file and for entries recorded before. Errors have the tag HistoryError.
  Result<Money> spent(Time since);
  Result<Usage> usage(Time since, By by);
  Result<std::vector<ThreadSummary>> threads();
  Result<std::vector<FoundThread>> search(std::string_view words);
  Result<std::optional<ThreadSummary>> rename_thread(std::string_view id, std::string_view title);
  Result<std::optional<Thread>> thread(std::string_view id);
  Result<std::optional<std::string>> citations(std::string_view question_id);
  Result<bool> remove_thread(std::string_view id);

  /// Error that prevents use of the file; empty if there is none or it was not used yet. Never
  /// waits for the file.
  [[nodiscard]] std::optional<Error> problem() const;

 private:
  template <class Answer>
  Result<Answer> use(const std::function<Result<Answer>(Database&)>& body);
  /// Runs `body` on the file; if it is damaged, once more on a new one.
  template <class Answer>
  Result<Answer> attempt(const std::function<Result<Answer>(Database&)>& body);
  bool rename_damaged(const Error& why);
  void write_pending();
  Status write(const Entry& entry);
  [[nodiscard]] Turn redacted(Turn turn) const;
  Status forget_old(Database& open, Time now) const;
  std::optional<Entry> next();
  Result<Database*> database();
  /// Stores the error and closes the file; the next use opens it again, as it may be replaced.
  void failed(const Error& error);

  const Parts parts_;
  std::mutex file_mutex_;  ///< locked before mutex_
  std::optional<Database> database_;
  std::string warned_;
  mutable std::mutex mutex_;
  std::deque<Entry> pending_;
  bool writing_ = false;  ///< a job is to write pending_; at most one worker waits for the file
  std::optional<Error> problem_;
};

}  // namespace quarry::history
