#pragma once

#include "base/decimal.h"

#include <chrono>
#include <cstdint>
#include <optional>

namespace quarry::ask {

/// When a question ends early. Checked before each model call; time also while one runs.
struct Limits {
  std::uint32_t max_steps = 40;
  std::chrono::milliseconds max_time{600'000};
  std::uint64_t max_tokens = 0;  ///< 0 = none
  std::optional<Money> max_cost;
  bool allow_unpriced = false;  ///< models may be asked whose price the limits cannot count
  std::uint64_t max_event_bytes = 64u << 20;
  std::chrono::milliseconds reader_grace{10'000};
};

}  // namespace quarry::ask
