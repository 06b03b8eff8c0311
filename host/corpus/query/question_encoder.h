#pragma once

#include "base/error.h"
#include "base/executor.h"
#include "corpus/snapshot/encoding.h"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace quarry::corpus {

/// A question whose vector is awaited. Thread-safe.
class AwaitedQuestion {
 public:
  explicit AwaitedQuestion(std::string identity) : identity_(std::move(identity)) {}
  /// Of the encoder.
  [[nodiscard]] const std::string& identity() const { return identity_; }
  /// Waits until `deadline` at most. kDeadlineExceeded, kCancelled, or the encoder's error.
  Result<std::vector<float>> wait(std::chrono::steady_clock::time_point deadline,
                                  const std::stop_token& stop);
  void finish(Result<std::vector<float>> vector);
  /// True if it has a vector.
  [[nodiscard]] bool succeeded();
  [[nodiscard]] bool ended();

 private:
  const std::string identity_;
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::optional<Result<std::vector<float>>> vector_;
};

/// Encodes the questions of searches on threads of its own, and remembers the last ones, so that
/// each page of a search has the same ranking. Thread-safe.
class QuestionEncoder {
 public:
  /// `calls` runs the calls of the encoder; while it is busy with earlier ones, questions are
  /// refused.
  QuestionEncoder(std::shared_ptr<Encoding> encoding, Executor& calls);
  /// Calls stop().
  ~QuestionEncoder();
  QuestionEncoder(const QuestionEncoder&) = delete;
  QuestionEncoder& operator=(const QuestionEncoder&) = delete;

  /// Requests running and later calls to stop; does not wait for them.
  void stop() { stop_.request_stop(); }
  [[nodiscard]] const Encoding& encoding() const { return *encoding_; }
  /// Begins to encode `question`, unless that was done before. Does not block. kUnavailable if
  /// too many calls have not returned. [any thread]
  Result<std::shared_ptr<AwaitedQuestion>> begin(std::string_view question);

 private:
  using Key = std::pair<std::string, std::string>;  ///< identity, question
  using Known = std::list<std::pair<Key, std::shared_ptr<AwaitedQuestion>>>;
  [[nodiscard]] std::shared_ptr<AwaitedQuestion> find(const Key& key);

  const std::shared_ptr<Encoding> encoding_;
  Executor& calls_;
  std::stop_source stop_;
  std::mutex mutex_;
  Known known_;  // the latest first
};

}  // namespace quarry::corpus
