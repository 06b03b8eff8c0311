#pragma once

#include "base/clock.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace quarry::access {

/// Wrong tokens by peer. Beyond a few, each doubles the time for which further ones of that peer
/// are refused unseen. One thread at a time.
class Guesses {
 public:
  static constexpr std::uint32_t kFree = 10;           ///< wrong tokens before the first wait
  static constexpr std::chrono::seconds kLongest{60};  ///< of the waits
  static constexpr std::chrono::minutes kMemory{10};   ///< after the last wrong token
  static constexpr std::size_t kMostPeers = 10'000;

  /// How long a wrong token of `peer` is refused unseen from now on; 0 = it is looked at. `peer` is
  /// an IP address; an empty one is never refused.
  [[nodiscard]] std::chrono::milliseconds wait(std::string_view peer, Clock::Steady now) const;
  /// A token of `peer` was wrong.
  void note(std::string_view peer, Clock::Steady now);
  [[nodiscard]] std::size_t size() const { return peers_.size(); }  ///< peers that are remembered

 private:
  struct Failures {
    std::uint32_t count = 0;
    Clock::Steady last;
    Clock::Steady until;
  };
  void make_room(Clock::Steady now);

  std::map<std::string, Failures, std::less<>> peers_;
};

}  // namespace quarry::access
