#pragma once

#include "base/text.h"
#include "corpus/segment/checked_bytes.h"
#include "corpus/snapshot/encoder.h"
#include "corpus/text/words.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// Encodes a text as a bag of words, hashed into a few dimensions. Tests give words one meaning,
/// make calls fail, and hold them.
class FakeEncoder : public Encoder {
 public:
  [[nodiscard]] std::string identity() const override {
    const std::lock_guard lock(mutex_);
    return identity_;
  }
  void set_identity(std::string identity) {
    const std::lock_guard lock(mutex_);
    identity_ = std::move(identity);
  }

  Result<std::vector<float>> encode(std::span<const std::string_view> texts, TextKind kind,
                                    std::stop_token stop) override {
    const std::size_t number = ++calls;
    std::unique_lock lock(mutex_);
    changed_.notify_all();
    if (!changed_.wait(lock, stop, [&] { return number < held_from_; })) {
      return Error{Code::kCancelled, "cancelled"};
    }
    if (failure) {
      if (const auto error = failure(texts)) return *error;
    }
    std::vector<float> out;
    for (const std::string_view text : texts) {
      const auto vector = vector_of(text);
      out.insert(out.end(), vector.begin(), vector.end());
      if (kind == TextKind::kPassage) ++encoded_[std::string(text)];
    }
    if (change) change(out);
    changed_.notify_all();
    return out;
  }

  /// Holds the calls from number `first` on until release(), or their stop.
  void hold(std::size_t first = 0) {
    const std::lock_guard lock(mutex_);
    held_from_ = first;
  }
  void release() {
    const std::lock_guard lock(mutex_);
    held_from_ = kNever;
    changed_.notify_all();
  }
  void set_failure(std::function<std::optional<Error>(std::span<const std::string_view>)> act) {
    const std::lock_guard lock(mutex_);
    failure = std::move(act);
  }
  /// Waits until `count` calls have begun.
  void wait_for_calls(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return calls >= count; });
  }
  /// Number of passages encoded so far, and the greatest number for one text.
  [[nodiscard]] std::size_t passages() const {
    const std::lock_guard lock(mutex_);
    std::size_t sum = 0;
    for (const auto& [text, count] : encoded_) sum += count;
    return sum;
  }
  [[nodiscard]] std::size_t most_often() const {
    const std::lock_guard lock(mutex_);
    std::size_t most = 0;
    for (const auto& [text, count] : encoded_) most = std::max(most, count);
    return most;
  }

  std::atomic<std::size_t> calls = 0;
  /// The error of a call, by its texts. Set it before calls begin, or with set_failure().
  std::function<std::optional<Error>(std::span<const std::string_view>)> failure;
  std::function<void(std::vector<float>&)> change;  ///< of the result
  std::map<std::string, std::string> meanings;      ///< words that mean another one
  std::size_t dimension = 48;

 private:
  [[nodiscard]] std::vector<float> vector_of(std::string_view text) const {
    std::vector<float> vector(dimension, 0.0F);
    WordScanner scanner(text);
    for (std::string_view word; !(word = scanner.next()).empty();) {
      std::string lower = to_lower(word);
      const auto meaning = meanings.find(lower);
      if (meaning != meanings.end()) lower = meaning->second;
      vector[digest(lower) % dimension] += 1;
    }
    return vector;
  }

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::string identity_ = "fake/1";
  static constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();
  std::size_t held_from_ = kNever;
  std::map<std::string, std::size_t> encoded_;
};

}  // namespace quarry::corpus
