#pragma once

#include "base/clock.h"
#include "base/error.h"

#include <chrono>
#include <cstdint>
#include <filesystem>

namespace quarry::resources {

/// Counts the passages that are encoded on one day (UTC), over all processes of a cache.
/// Thread-safe.
class EncodingBudget {
 public:
  /// `file` keeps the count; `passages_a_day` 0 = no limit, and no file.
  EncodingBudget(std::filesystem::path file, std::uint64_t passages_a_day, const Clock& clock)
      : file_(std::move(file)), passages_a_day_(passages_a_day), clock_(clock) {}

  /// Counts up to `wanted` passages as encoded before they are; returns how many may be, 0 if the
  /// day's are used up. A file that cannot be read counts as none.
  Result<std::uint64_t> reserve(std::uint64_t wanted) const;
  [[nodiscard]] std::uint64_t passages_a_day() const { return passages_a_day_; }
  /// Time until the next day.
  [[nodiscard]] std::chrono::seconds left_of_day() const;

 private:
  const std::filesystem::path file_;
  const std::uint64_t passages_a_day_;
  const Clock& clock_;
};

}  // namespace quarry::resources
