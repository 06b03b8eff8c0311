#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace quarry::package_source {

/// How much one archive may unpack to.
struct UnpackLimits {
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;  ///< of all files, and of the decompressed archive
  /// Largest ratio of bytes to the size of the archive, beyond `always_bytes`. Source trees have 3
  /// to 20, and one file of zeros 1,000 in gzip.
  std::uint64_t ratio = 200;
  std::uint64_t always_bytes = std::uint64_t{64} << 20;
};

/// Sums what the headers of an archive state, so that one with too much in it is refused before
/// anything of it is written. Each member returns what is exceeded, as in "more than 500000
/// entries". One thread.
class UnpackBudget {
 public:
  using Exceeded = std::optional<std::string>;

  /// `packed`: the size of the archive in bytes.
  UnpackBudget(const UnpackLimits& limits, std::uint64_t packed)
      : limits_(limits), packed_(packed) {}

  Exceeded add_entry();
  /// Adds a file of `size` bytes that will be written. A hard link adds those of its target, which
  /// are written again.
  Exceeded add_file(std::uint64_t size, bool is_hard_link = false);
  /// Adds a file that is listed, but neither decompressed nor written.
  Exceeded add_listed(std::uint64_t size);
  /// Notes that the archive is decompressed to its byte `position`, and `ahead` bytes further.
  Exceeded reach(std::uint64_t position, std::uint64_t ahead);

 private:
  [[nodiscard]] Exceeded check_bytes(std::uint64_t bytes) const;
  [[nodiscard]] Exceeded check_ratio(std::uint64_t bytes) const;
  [[nodiscard]] std::string cause() const;

  UnpackLimits limits_;
  std::uint64_t packed_;
  std::uint64_t entries_ = 0;
  std::uint64_t written_ = 0;
  std::uint64_t listed_ = 0;
  std::uint64_t hard_links_ = 0;
};

}  // namespace quarry::package_source
