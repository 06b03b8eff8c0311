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
#include <string>
#include <string_view>

namespace quarry::engine {

/// How long the events of a question can be read after its end: until the time is over, or younger
/// ones need the room. The last one that ended is always kept.
struct Retention {
  std::chrono::seconds time{600};
  std::uint64_t bytes = 128ull << 20;  ///< of all that have ended
};

/// The questions of an engine by id: those that run, and those that can still be read. Of a
/// question that has ended only the events are kept, no lease and no model. Thread-safe.
class QuestionRegistry {
 public:
  /// `services` must outlive every question; its io must run until close() returned.
  explicit QuestionRegistry(const ask::QuestionServices& services);
  ~QuestionRegistry();

  /// Starts a question under a fresh id and answers it. RateLimitError beyond `most` running ones;
  /// kUnavailable once closing. `state` is kept until it has ended.
  Result<std::string> start(ask::Request request, std::uint32_t most, Retention keep,
                            std::shared_ptr<const void> state);
  /// Null when there is no such question (any more).
  [[nodiscard]] std::shared_ptr<ask::EventLog> log_of(std::string_view id) const;
  /// Stops those that were asked with this token.
  void stop_all_of(std::string_view bearer);
  /// Stops it when it runs. False when there is no such question (any more).
  bool stop(std::string_view id);
  [[nodiscard]] std::size_t running() const;

  /// Refuses new questions, waits up to `grace` for the running ones, stops those, and returns when
  /// nothing runs. Not on the I/O thread.
  void close(std::chrono::milliseconds grace);

 private:
  struct Entry {
    std::shared_ptr<ask::EventLog> log;
    std::shared_ptr<ask::Question> question;  ///< while it runs
    std::shared_ptr<const void> state;        ///< while it runs
    Retention keep;
  };
  struct Ended {
    std::string id;
    std::uint64_t bytes;
    Clock::Steady forgotten_at;
  };
  struct Timer;
  void ended(const std::string& id);
  void forget_oldest();
  void forget_later();

  const ask::QuestionServices& services_;
  mutable std::mutex mutex_;
  std::condition_variable idle_;
  std::map<std::string, Entry, std::less<>> entries_;
  std::deque<Ended> ended_;  ///< the oldest first
  std::uint64_t ended_bytes_ = 0;
  std::size_t running_ = 0;
  bool closing_ = false;
  const std::unique_ptr<Timer> timer_;  ///< runs while anything has ended
};

}  // namespace quarry::engine
