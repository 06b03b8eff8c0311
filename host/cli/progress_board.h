#pragma once

#include "base/clock.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::cli {

/// Progress of resources as lines of text; has no side effects, so that drawing can be tested.
class ProgressBoard {
 public:
  /// Adds a `resource.progress` event that came at `now`. True if the message of its resource has
  /// changed.
  bool report(std::string_view json, Clock::Steady now);

  /// A line for each resource in order of first event, at most `width` columns wide, with a bar if
  /// the total is known, and from a second on the rate and the time left, for which a long message
  /// is cut; at most `most` lines, the last of which counts the remaining resources.
  [[nodiscard]] std::vector<std::string> lines(std::size_t width, std::size_t most) const;

  /// Line of the most recent event: "svelte: receiving objects".
  [[nodiscard]] std::string last() const;

 private:
  struct Row {
    std::string resource;
    std::string message;
    std::uint64_t done = 0;
    std::uint64_t total = 0;  // 0 = unknown
    Clock::Steady begin{};    // of this message
    std::uint64_t done_at_begin = 0;
    Clock::Steady latest{};
  };
  [[nodiscard]] static std::string pace(const Row& row);
  [[nodiscard]] std::string line(const Row& row, std::size_t name_width, std::size_t width) const;

  std::vector<Row> rows_;
  std::size_t last_ = 0;
};

}  // namespace quarry::cli
