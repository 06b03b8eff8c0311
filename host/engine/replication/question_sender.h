#pragma once

#include "base/error.h"
#include "base/file.h"
#include "engine/question_registry.h"

#include <chrono>
#include <memory>

namespace boost::asio {
class io_context;
}

namespace quarry::engine {

/// Tells the process that takes the place of this one of every question here: its events so far,
/// and each new one. There a reader can go on with a question that began here, and stop it.
class QuestionSender {
 public:
  /// `socket`: a stream, connected to the successor's QuestionReceiver. Replaces the sender before.
  /// `questions` must outlive this, and `io` must run until its destructor has returned.
  static Result<std::unique_ptr<QuestionSender>> start(QuestionRegistry& questions,
                                                       boost::asio::io_context& io,
                                                       const Fd& socket);
  /// Not on the I/O thread.
  ~QuestionSender();
  /// Waits until the last event of every question was written, unless the successor is gone: at
  /// most for `limit`. Not on the I/O thread; no question may begin any more.
  void finish(std::chrono::milliseconds limit);

 private:
  class End;
  explicit QuestionSender(std::shared_ptr<End> end);

  std::shared_ptr<End> end_;
};

}  // namespace quarry::engine
