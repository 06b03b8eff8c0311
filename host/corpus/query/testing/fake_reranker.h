#pragma once

#include "corpus/query/reranker.h"

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace quarry::corpus {

/// Scores each document by a function of the test. Tests make calls fail, and hold them.
class FakeReranker : public Reranker {
 public:
  using Score = std::function<double(std::string_view document)>;
  explicit FakeReranker(Score score) : score_(std::move(score)) {}

  Result<std::vector<double>> score(std::string_view query,
                                    std::span<const std::string_view> documents,
                                    std::stop_token stop) override {
    std::unique_lock lock(mutex_);
    queries_.emplace_back(query);
    documents_.assign(documents.begin(), documents.end());
    changed_.notify_all();
    if (!changed_.wait(lock, stop, [this] { return !held_; })) {
      return Error{Code::kCancelled, "cancelled"};
    }
    if (failure_) return *failure_;
    std::vector<double> scores;
    for (const std::string_view document : documents) scores.push_back(score_(document));
    return scores;
  }

  /// Holds calls until release(), or their stop.
  void hold() {
    const std::lock_guard lock(mutex_);
    held_ = true;
  }
  void release() {
    const std::lock_guard lock(mutex_);
    held_ = false;
    changed_.notify_all();
  }
  void set_failure(std::optional<Error> failure) {
    const std::lock_guard lock(mutex_);
    failure_ = std::move(failure);
  }
  /// Waits until `count` calls have begun.
  void wait_for_calls(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return queries_.size() >= count; });
  }
  /// The query of each call.
  [[nodiscard]] std::vector<std::string> queries() const {
    const std::lock_guard lock(mutex_);
    return queries_;
  }
  /// The documents of the last call.
  [[nodiscard]] std::vector<std::string> documents() const {
    const std::lock_guard lock(mutex_);
    return documents_;
  }

 private:
  const Score score_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  bool held_ = false;
  std::optional<Error> failure_;
  std::vector<std::string> queries_;
  std::vector<std::string> documents_;
};

}  // namespace quarry::corpus
