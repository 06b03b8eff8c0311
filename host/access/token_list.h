#pragma once

#include "plugins/store.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::access {

/// The hashes of all tokens that are not revoked, as last read from the store: 32 bytes each. One
/// thread at a time.
class TokenList {
 public:
  /// Most listed tokens; the list is empty when the store has more.
  static constexpr std::int64_t kMost = 250'000;

  /// Applies the store's answer, read when the store was at `revision`.
  void take(const plugins::TokenHashes& answer, std::int64_t revision);
  /// State of the last answer; nothing when the next list must be complete.
  [[nodiscard]] std::optional<std::int64_t> state() const { return state_; }
  /// True if the list was complete at `revision` of the store.
  [[nodiscard]] bool is_complete_at(std::int64_t revision) const {
    return state_ && revision_ == revision;
  }
  /// `hash`: 64 hexadecimal digits.
  [[nodiscard]] bool contains(std::string_view hash) const;

 private:
  using Hash = std::array<std::uint8_t, 32>;
  static Hash read(std::string_view hash);

  std::vector<Hash> hashes_;  ///< sorted
  std::optional<std::int64_t> state_;
  std::int64_t revision_ = 0;
};

}  // namespace quarry::access
