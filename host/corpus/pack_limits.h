#pragma once

#include "corpus/pack.h"

#include <algorithm>
#include <string>

namespace quarry::corpus {

/// Counts what a pack takes in and refuses what goes beyond its limits. Not thread-safe.
class LimitCheck {
 public:
  explicit LimitCheck(PackLimits limits) : limits_(limits) {}

  /// A larger file is listed, not packed. At most 1 GiB: offsets within a file have 32 bits, and
  /// repairing its encoding may triple its size.
  [[nodiscard]] std::uint64_t file_bytes() const {
    return std::min<std::uint64_t>(limits_.file_bytes, 1u << 30);
  }
  /// Whether a path is short and shallow enough. One that is not is left out and counted, so that
  /// it does not keep the others out. `path` is normalised.
  [[nodiscard]] bool fits(std::string_view path) const {
    const auto depth = static_cast<std::uint64_t>(std::ranges::count(path, '/')) + 1;
    return path.size() <= limits_.path_bytes && depth <= limits_.depth;
  }
  /// Counts one more file.
  Status add_file() {
    if (++files_ > limits_.files) {
      return beyond("there are more than " + std::to_string(limits_.files) + " files");
    }
    return {};
  }
  /// Counts more text.
  Status add_text(std::uint64_t bytes) {
    bytes_ += bytes;
    if (bytes_ <= limits_.total_bytes) return {};
    return beyond("there is more text than " + std::to_string(limits_.total_bytes) + " bytes");
  }
  [[nodiscard]] std::uint32_t files() const { return files_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  static Error beyond(std::string why) {
    return {Code::kResourceExhausted, std::move(why),
            "Choose a part of it with searchPath, or ignore what is not needed."};
  }

  PackLimits limits_;
  std::uint32_t files_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace quarry::corpus
