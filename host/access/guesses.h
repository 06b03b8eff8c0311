#pragma once

#include "base/clock.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace quarry::access {

/// Wrong tokens by peer. After the first few, each doubles the time for which further ones of that
/// peer are rejected unchecked. One thread at a time.
class Guesses {
 public:
  static constexpr std::uint32_t kFree = 10;           ///< wrong tokens before the first wait
  static constexpr std::chrono::seconds kLongest{60};  ///< longest wait
  static constexpr std::chrono::minutes kMemory{10};   ///< kept this long after the last one
  static constexpr std::size_t kMostPeers = 10'000;

  /// Time for which an unlisted token of `peer` is rejected unchecked; 0 = it is checked. `peer` is
  /// an IP address; an empty one is never rejected.
  [[nodiscard]] std::chrono::milliseconds wait(std::string_view peer, Clock::Steady now) const;
  /// Records a wrong token of `peer`.
  void note(std::string_view peer, Clock::Steady now);
  [[nodiscard]] std::size_t size() const { return peers_.size(); }  ///< recorded peers

 private:
  struct Failures {
    std::uint32_t count = 0;
    Clock::Steady last;
    Clock::Steady until;
  };
  void evict(Clock::Steady now);

  std::map<std::string, Failures, std::less<>> peers_;
};

}  // namespace quarry::access
