#pragma once

#include "history/ledger.h"

namespace quarry::history {

/// How a question ended.
inline constexpr std::string_view kAnswered = "answered";
inline constexpr std::string_view kCut = "cut";          ///< by a limit, or by the model
inline constexpr std::string_view kStopped = "stopped";  ///< by its client, or as that went away
inline constexpr std::string_view kFailed = "failed";

struct Turn {
  std::string question;
  std::string answer;  ///< what was written of it until the question ended
  std::string question_id;
  std::vector<std::string> resources = {};  ///< in the client's words; empty = all
  std::string status = std::string(kAnswered);
  std::string finish_reason = {};             ///< empty if the question failed, or not kept
  std::optional<Time> asked = {};             ///< nothing = not kept, as all below
  std::optional<Money> cost = {};             ///< of all its calls
  std::string details = "{}";                 ///< JSON object: model, trace, usage, error
  std::optional<std::string> citations = {};  ///< JSON array: each with its lines
};

/// What distinguishes a conversation when it begins.
struct ThreadOrigin {
  bool single = false;       ///< its client named no conversation
  std::string project = {};  ///< of the caller's token; empty = the owner's
};

struct ThreadSummary {
  std::string id;
  std::string title;  ///< the first question's first 80 characters, on one line
  Time created;
  Time updated;
  std::int64_t turns = 0;
  ThreadOrigin origin = {};
};

struct Thread {
  ThreadSummary summary;
  std::vector<Turn> turns;  ///< oldest first
};

/// A turn in which words were found.
struct Match {
  std::string question_id;
  std::int64_t turn = 0;  ///< its position, from 1
  std::string snippet;    ///< text around the words in one line, "…" where it is cut
};

struct FoundThread {
  ThreadSummary summary;
  std::vector<Match> matches = {};  ///< latest first; none if its title alone has the words
};

/// The table of conversations. Threads: like Database.
class Threads {
 public:
  explicit Threads(Database& database) : database_(database) {}

  /// Appends a turn and creates a missing thread, within a transaction of the caller. A thread that
  /// is continued by its name is not single any more.
  Status add(std::string_view thread, const Turn& turn, Time at, const ThreadOrigin& origin = {});
  /// Most recently updated first.
  Result<std::vector<ThreadSummary>> list();
  /// Threads with all words in the question or answer of one of the latest 100 such turns, or in
  /// the title they were given; the last word may be a prefix. Most recently updated first.
  Result<std::vector<FoundThread>> search(std::string_view words);
  /// Gives a thread another title; nothing if there is no such thread.
  Result<std::optional<ThreadSummary>> rename(std::string_view id, std::string_view title);
  /// Nothing if there is no such thread.
  Result<std::optional<Thread>> find(std::string_view id);
  /// Citations of the turn of a question; nothing if it is not kept, or they are not.
  Result<std::optional<std::string>> citations(std::string_view question_id);
  /// Removes the thread and overwrites its text in the file; false if there is no such thread.
  Result<bool> remove(std::string_view id);
  /// Removes threads that were last continued before a time, in whole hours.
  Status forget(Time before);

 private:
  /// Overwrites the words of removed turns in the index.
  Status clean_words();

  Database& database_;
};

}  // namespace quarry::history
