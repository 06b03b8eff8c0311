#pragma once

#include "ask/question.h"
#include "base/clock.h"
#include "base/error.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace quarry::engine {

/// Limits for reading the events of ended questions: age since the end, and size of all together.
/// The last question that ended is always kept.
struct Retention {
  std::chrono::seconds time{600};
  std::uint64_t bytes = 128ull << 20;  ///< of all ended questions
};

/// What there is of a question, wherever it runs.
struct KnownQuestion {
  std::string id;
  std::string bearer;  ///< the token with which it was asked, empty = by the owner
  std::shared_ptr<ask::EventLog> log;
  std::shared_ptr<const ask::CitedSources> cited;
  std::chrono::milliseconds keep{0};  ///< after its end, or from now if it has ended
};

/// The questions of an engine by id: running ones, and ended ones that can still be read. An ended
/// question keeps only its events and what it cites, no lease and no model. Thread-safe.
class QuestionRegistry {
 public:
  /// `services` must outlive every question; its io must run until close() has returned.
  explicit QuestionRegistry(const ask::QuestionServices& services);
  ~QuestionRegistry();

  /// Starts a question and returns its new id. RateLimitError beyond `most` running ones;
  /// kUnavailable once closing. `state` is kept until the question has ended.
  Result<std::string> start(ask::Request request, std::uint32_t most, Retention keep,
                            std::shared_ptr<const void> state);
  /// Adds a question that another process answers, until replica_ended(). `stop` must not block.
  /// False if there is a question with that id.
  bool add_replica(KnownQuestion question, std::function<void(ask::StopReason)> stop);
  /// The last event of a replica is in its log. [io]
  void replica_ended(const std::string& id);
  /// Calls `known` for every question, and later for each that is added, until it is replaced. It
  /// must not use this registry.
  void follow(std::function<void(const KnownQuestion&)> known);

  /// Null if there is no such question (any more).
  [[nodiscard]] std::shared_ptr<ask::EventLog> log_of(std::string_view id) const;
  /// What the answer of a question cites. Null if there is no such question (any more).
  [[nodiscard]] std::shared_ptr<const ask::CitedSources> cited_by(std::string_view id) const;
  /// The token with which a question was asked, empty = by the owner. Nothing if there is no such
  /// question (any more).
  [[nodiscard]] std::optional<std::string> bearer_of(std::string_view id) const;
  [[nodiscard]] bool is_running(std::string_view id) const;
  /// Stops all questions of this token.
  void stop_all_of(std::string_view bearer);
  /// Stops a question if it runs. False if there is no such question (any more).
  bool stop(std::string_view id, ask::StopReason reason = ask::StopReason::kAsked);
  /// Number of running questions, without replicas.
  [[nodiscard]] std::size_t running() const;

  /// Waits until no question and no replica runs, until close() or up to `limit`. Not on the I/O
  /// thread.
  void wait_until_idle(std::chrono::milliseconds limit);
  /// Rejects new questions, waits up to `grace` for the running ones, stops the rest, and returns
  /// when none runs but replicas. Not on the I/O thread.
  void close(std::chrono::milliseconds grace);

 private:
  struct Entry {
    std::shared_ptr<ask::EventLog> log;
    std::shared_ptr<const ask::CitedSources> cited;
    std::string bearer;
    Retention keep;
    bool replica = false;
    std::function<void(ask::StopReason)> stop = {};  ///< while it runs
    std::shared_ptr<const void> state = {};          ///< while it runs
    Clock::Steady expires = {};                      ///< once it has ended
  };
  struct Ended {
    std::string id;
    std::uint64_t bytes;
  };
  struct Timer;
  static KnownQuestion known(const std::string& id, const Entry& entry);
  void add(const std::string& id, Entry entry);
  [[nodiscard]] bool idle() const { return running_ == 0 && running_replicas_ == 0; }
  void ended(const std::string& id);
  [[nodiscard]] Clock::Steady oldest_expires() const {
    return entries_.at(ended_.front().id).expires;
  }
  void remove_oldest();
  void schedule_removal();

  const ask::QuestionServices& services_;
  mutable std::mutex mutex_;
  std::condition_variable idle_;
  std::map<std::string, Entry, std::less<>> entries_;
  std::deque<Ended> ended_;  ///< oldest first
  std::uint64_t ended_bytes_ = 0;
  std::size_t running_ = 0;
  std::size_t running_replicas_ = 0;
  bool closing_ = false;
  std::function<void(const KnownQuestion&)> follower_;
  const std::unique_ptr<Timer> timer_;  ///< runs while ended_ is not empty
};

}  // namespace quarry::engine
