#pragma once

#include "base/clock.h"
#include "base/executor.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

namespace quarry::engine {

/// Bytes of the cache on the disk. Thread-safe.
class CacheSize {
 public:
  /// Time for which a size is taken as current.
  static constexpr std::chrono::minutes kAge{1};

  /// `clock` must outlive this and its jobs on `workers`.
  CacheSize(std::filesystem::path cache, Executor& workers, const Clock& clock);

  /// The size now; a file with several names counts once. Reads every directory. [worker]
  std::uint64_t measure();
  /// The last size, if there is one. When it is older than kAge, a job on a worker measures the
  /// next. Does not block.
  std::optional<std::uint64_t> last();

 private:
  struct State;
  Executor& workers_;
  const Clock& clock_;
  const std::shared_ptr<State> state_;
};

}  // namespace quarry::engine
