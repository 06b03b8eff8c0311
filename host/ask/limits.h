#pragma once

#include "base/decimal.h"

#include <chrono>
#include <cstdint>
#include <optional>

namespace quarry::ask {

/// Limits that end a question early. Checked before each model call; time also during one.
struct Limits {
  std::uint32_t max_steps = 40;
  std::chrono::milliseconds max_time{600'000};
  std::uint64_t max_tokens = 0;  ///< 0 = none
  std::optional<Money> max_cost;
  bool allow_unpriced = false;  ///< models without a known price may be asked despite max_cost
  std::uint64_t max_event_bytes = 64u << 20;
  std::chrono::milliseconds reader_grace{10'000};
};

}  // namespace quarry::ask
