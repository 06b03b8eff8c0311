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

/// Limits for reading the events of ended questions: age since the end, and size of all together.
/// The last question that ended is always kept.
struct Retention {
  std::chrono::seconds time{600};
  std::uint64_t bytes = 128ull << 20;  ///< of all ended questions
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
  /// Null if there is no such question (any more).
  [[nodiscard]] std::shared_ptr<ask::EventLog> log_of(std::string_view id) const;
  /// What the answer of a question cites. Null if there is no such question (any more).
  [[nodiscard]] std::shared_ptr<const ask::CitedSources> cited_by(std::string_view id) const;
  /// Stops all questions of this token.
  void stop_all_of(std::string_view bearer);
  /// Stops a question if it runs. False if there is no such question (any more).
  bool stop(std::string_view id);
  [[nodiscard]] std::size_t running() const;

  /// Rejects new questions, waits up to `grace` for the running ones, stops the rest, and returns
  /// when none runs. Not on the I/O thread.
  void close(std::chrono::milliseconds grace);

 private:
  struct Entry {
    std::shared_ptr<ask::EventLog> log;
    std::shared_ptr<const ask::CitedSources> cited;
    std::shared_ptr<ask::Question> question;  ///< while it runs
    std::shared_ptr<const void> state;        ///< while it runs
    Retention keep;
  };
  struct Ended {
    std::string id;
    std::uint64_t bytes;
    Clock::Steady expires;
  };
  struct Timer;
  void ended(const std::string& id);
  void remove_oldest();
  void schedule_removal();

  const ask::QuestionServices& services_;
  mutable std::mutex mutex_;
  std::condition_variable idle_;
  std::map<std::string, Entry, std::less<>> entries_;
  std::deque<Ended> ended_;  ///< oldest first
  std::uint64_t ended_bytes_ = 0;
  std::size_t running_ = 0;
  bool closing_ = false;
  const std::unique_ptr<Timer> timer_;  ///< runs while ended_ is not empty
};

}  // namespace quarry::engine
