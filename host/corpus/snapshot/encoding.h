#pragma once

#include "corpus/snapshot/encoder.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

namespace quarry::corpus {

/// The encoder of passages and questions, and limits of its use.
struct EncodingOptions {
  std::shared_ptr<Encoder> encoder = nullptr;    ///< null = passages are ranked by words alone
  std::size_t batch = 32;                        ///< passages of one call, at least 1
  std::uint64_t passages_a_day = 0;              ///< encoded in a day (UTC) at most; 0 = no limit
  std::chrono::milliseconds question_time{500};  ///< a search waits for its encoded question
};

/// The encoder, shared by those that build vectors and those that search them, and the reason for
/// which none are built at present. Thread-safe.
class Encoding {
 public:
  explicit Encoding(EncodingOptions options) : options_(std::move(options)) {}

  [[nodiscard]] const EncodingOptions& options() const { return options_; }
  [[nodiscard]] bool is_on() const { return options_.encoder != nullptr; }
  [[nodiscard]] Encoder& encoder() const { return *options_.encoder; }

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
  const EncodingOptions options_;
  mutable std::mutex mutex_;
  std::string pause_reason_;
};

}  // namespace quarry::corpus
