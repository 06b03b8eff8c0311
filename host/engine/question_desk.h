#pragma once

#include "ask/question.h"
#include "base/error.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace quarry::engine {

/// The questions of an engine by id: those that run, and those that can still be read. Thread-safe.
class QuestionDesk {
 public:
  /// `house` must outlive every question; its io must run until close() returned.
  explicit QuestionDesk(const ask::House& house) : house_(house) {}

  /// Starts a question under a fresh id and answers it. RateLimitError beyond `most` running ones;
  /// kUnavailable once closing. `keep`: how long it can be read after its end; `state` is kept with
  /// it.
  Result<std::string> start(ask::Request request, std::uint32_t most, std::chrono::seconds keep,
                            std::shared_ptr<const void> state);
  /// Null when there is no such question (any more).
  [[nodiscard]] std::shared_ptr<ask::Question> find(std::string_view id) const;
  [[nodiscard]] std::size_t running() const;

  /// Refuses new questions, waits up to `grace` for the running ones, stops those, and returns when
  /// nothing runs. Not on the I/O thread.
  void close(std::chrono::milliseconds grace);

 private:
  struct Entry {
    std::shared_ptr<ask::Question> question;
    std::shared_ptr<const void> state;
    bool running = true;
  };
  void ended(const std::string& id, std::chrono::seconds keep);

  const ask::House& house_;
  mutable std::mutex mutex_;
  std::condition_variable idle_;
  std::map<std::string, Entry, std::less<>> entries_;
  std::size_t running_ = 0;
  bool closing_ = false;
};

}  // namespace quarry::engine
