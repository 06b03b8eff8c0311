#pragma once

#include "base/relative_path.h"
#include "corpus/snapshot/pack.h"

#include <algorithm>
#include <string>

namespace quarry::corpus {

/// Counts the files and bytes of a pack and enforces its limits. Not thread-safe.
class LimitCheck {
 public:
  explicit LimitCheck(PackLimits limits) : limits_(limits) {}

  /// Maximum size of a packed file; a larger one is listed. At most 1 GiB: offsets within a file
  /// have 32 bits, and repairing its encoding may triple its size.
  [[nodiscard]] std::uint64_t file_bytes() const {
    return std::min<std::uint64_t>(limits_.file_bytes, 1u << 30);
  }
  /// See PackLimits.
  [[nodiscard]] std::uint64_t segment_bytes() const { return limits_.segment_bytes; }
  /// True if normalise_relative_path() takes a path of its length. Others are left out like those
  /// that do not fit.
  [[nodiscard]] static bool can_be_read(std::string_view path) {
    return path.size() <= kMostRelativePath;
  }
  /// True if a path is short and shallow enough. Others are left out and counted, so that one of
  /// them does not fail the pack. `path` is normalised.
  [[nodiscard]] bool fits(std::string_view path) const {
    const auto depth = static_cast<std::uint64_t>(std::ranges::count(path, '/')) + 1;
    return path.size() <= limits_.path_bytes && depth <= limits_.depth;
  }
  /// Adds one file. kResourceExhausted beyond the limit.
  Status add_file() {
    if (++files_ > limits_.files) {
      return beyond("there are more than " + std::to_string(limits_.files) + " files");
    }
    return {};
  }
  /// Adds `bytes` of text. kResourceExhausted beyond the limit.
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
