#pragma once

#include "corpus/snapshot/encoder.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace quarry::corpus {

/// Limits of the use of an encoder.
struct EncodingOptions {
  std::size_t batch = 32;                        ///< passages of one call, at least 1
  std::uint64_t passages_a_day = 0;              ///< encoded in a day (UTC) at most; 0 = no limit
  std::chrono::milliseconds question_time{500};  ///< a search waits for its encoded question
};

/// The encoder, shared by those that build vectors and those that search them, and the reason for
/// which none are built at present. Thread-safe.
class Encoding {
 public:
  /// `current` returns the present encoder, which a reload of the configuration may exchange; null
  /// = passages are ranked by words alone. [any thread]
  using Current = std::function<std::shared_ptr<Encoder>()>;
  explicit Encoding(Current current, EncodingOptions options = {})
      : current_(std::move(current)), options_(options) {}

  [[nodiscard]] const EncodingOptions& options() const { return options_; }
  /// May be null, and another one at each call.
  [[nodiscard]] std::shared_ptr<Encoder> encoder() const { return current_(); }

  /// A part of a sentence about why building pauses; empty if it does not.
  [[nodiscard]] std::string pause_reason() const {
    const std::lock_guard lock(mutex_);
    return pause_reason_;
  }
  void set_pause_reason(std::string why) {
    const std::lock_guard lock(mutex_);
    pause_reason_ = std::move(why);
  }

 private:
  const Current current_;
  const EncodingOptions options_;
  mutable std::mutex mutex_;
  std::string pause_reason_;
};

}  // namespace quarry::corpus
