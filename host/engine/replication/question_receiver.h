#pragma once

#include "ask/wake_queue.h"
#include "base/error.h"
#include "base/file.h"
#include "engine/question_registry.h"

#include <chrono>
#include <memory>

namespace boost::asio {
class io_context;
}

namespace quarry::engine {

/// The questions of the process whose place this one has taken: adds them to the questions here as
/// replicas, whose events the other process's QuestionSender tells.
class QuestionReceiver {
 public:
  /// `socket`: a stream, connected to that process. `questions` and `wakes` must outlive this, and
  /// `io` must run until its destructor has returned.
  static Result<std::unique_ptr<QuestionReceiver>> start(QuestionRegistry& questions,
                                                         boost::asio::io_context& io,
                                                         ask::WakeQueue& wakes, const Fd& socket);
  /// Ends the replicas that have not ended, each with an error event. Not on the I/O thread.
  ~QuestionReceiver();
  /// Waits until every question that the other process had at the beginning can be read here:
  /// false if it does not tell within `limit`, or is gone. Once; not on the I/O thread.
  [[nodiscard]] bool wait_until_known(std::chrono::milliseconds limit);

 private:
  class End;
  explicit QuestionReceiver(std::shared_ptr<End> end);

  std::shared_ptr<End> end_;
};

}  // namespace quarry::engine
