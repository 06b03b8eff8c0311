#pragma once

#include "base/executor.h"
#include "history/ledger.h"
#include "history/threads.h"

#include <deque>
#include <mutex>

namespace quarry::history {

/// One question for the history.
struct Entry {
  Question question;
  std::optional<Turn> turn;  ///< of question.thread, when it was answered
};

/// What a host remembers of its questions, in one file that any number of hosts may share. The file
/// is opened when something is first written or asked for; one that cannot be used is tried again
/// each time, and one that is damaged is renamed and begun anew. Thread-safe.
class History {
 public:
  struct Parts {
    std::filesystem::path file;
    Executor& workers;
    /// Takes secrets out of what a thread keeps. [worker]
    std::function<std::string(std::string_view)> redact;
    /// Told of an entry that could not be written, once while the cause stays the same, and of a
    /// damaged file that was renamed. [worker]
    std::function<void(const Error&)> warn;
  };
  /// What `parts` names must outlive this; this must outlive the jobs of the workers.
  explicit History(Parts parts) : parts_(std::move(parts)) {}

  /// Writes the entry soon, on a worker, in the order of these calls. Never blocks.
  void record(Entry entry);
  /// Writes on this thread what no worker has written yet.
  void flush();

  // Each waits for the file, and for what was recorded before. Errors carry the tag HistoryError.
  Result<Money> spent(Time since);
  Result<Usage> usage(Time since, By by);
  Result<std::vector<ThreadSummary>> threads();
  Result<std::optional<Thread>> thread(std::string_view id);
  Result<bool> remove_thread(std::string_view id);

  /// Why the file cannot be used; empty when it can, or nobody has tried. Never waits for it.
  [[nodiscard]] std::optional<Error> problem() const;

 private:
  template <class Answer>
  Result<Answer> use(const std::function<Result<Answer>(Database&)>& body);
  /// Runs `body` on the file; when that is damaged, once more on a new one.
  template <class Answer>
  Result<Answer> attempt(const std::function<Result<Answer>(Database&)>& body);
  bool set_aside(const Error& why);
  void write_pending();
  Status write(const Entry& entry);
  std::optional<Entry> next();
  Result<Database*> database();
  /// Keeps why something failed and closes the file, which may be another one next time.
  void failed(const Error& error);

  const Parts parts_;
  std::mutex file_mutex_;  ///< taken before the other
  std::optional<Database> database_;
  std::string warned_;
  mutable std::mutex mutex_;
  std::deque<Entry> pending_;
  bool writing_ = false;  ///< a job will write what is pending: at most one worker waits for a file
  std::optional<Error> problem_;
};

}  // namespace quarry::history
