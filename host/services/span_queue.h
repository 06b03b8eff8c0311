#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <string>

namespace quarry::services {

/// Finished spans, as JSON, that wait to be sent. Thread-safe.
class SpanQueue {
 public:
  struct Limits {
    std::size_t spans = 4096;
    std::size_t bytes = 8u << 20;
    std::size_t batch = 512;             ///< spans of one batch
    std::size_t batch_bytes = 1u << 20;  ///< of these, unless one is larger
  };
  explicit SpanQueue(Limits limits) : limits_(limits) {}

  enum class Added {
    kDropped,  ///< there is no space
    kQueued,
    kFirst,      ///< it waits alone
    kFillsBatch  ///< with it the first batch is full
  };
  Added add(std::string span);

  /// Several spans, separated by commas.
  struct Batch {
    std::string spans;
    std::size_t count = 0;
  };
  /// Takes the oldest.
  Batch take();

  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] bool has_full_batch() const;

 private:
  [[nodiscard]] bool fills_batch() const;  ///< under mutex_

  const Limits limits_;
  mutable std::mutex mutex_;
  std::deque<std::string> spans_;
  std::size_t bytes_ = 0;
};

}  // namespace quarry::services
