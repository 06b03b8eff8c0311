#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// A digest that detects accidental damage: any change within eight consecutive bytes for certain,
/// any other with a probability of 1 - 2^-64. Not protection against forgery.
[[nodiscard]] std::uint64_t digest(std::string_view bytes);

/// The digest of every `block` bytes; the last block may be shorter.
[[nodiscard]] std::vector<std::uint64_t> block_digests(std::string_view bytes, std::size_t block);

/// Bytes of a mapped file with the digests of their blocks. Thread-safe.
class CheckedBytes {
 public:
  /// `digests` contains one for each block of `block` bytes, a power of two. The bytes must outlive
  /// this object.
  CheckedBytes(std::string_view bytes, std::vector<std::uint64_t> digests, std::size_t block);

  [[nodiscard]] std::string_view bytes() const { return bytes_; }
  /// False if a block with a byte of [begin, begin + size) is damaged, or the range lies outside.
  /// Each block is compared with its digest once; further calls cost next to nothing.
  [[nodiscard]] bool check(std::size_t begin, std::size_t size) const {
    const std::size_t number = begin >> shift_;
    const bool within_one = size != 0 && begin < bytes_.size() && size <= bytes_.size() - begin &&
                            number == (begin + size - 1) >> shift_;
    if (within_one && states_[number].load(std::memory_order_relaxed) == kSound) return true;
    return check_each(begin, size);
  }
  /// The same, but compares again: a file can be damaged at any time.
  [[nodiscard]] bool recheck(std::size_t begin, std::size_t size) const;
  /// True if a block has been found damaged so far.
  [[nodiscard]] bool is_damaged() const { return any_damaged_; }
  /// Numbers of the blocks found damaged so far, ascending.
  [[nodiscard]] std::vector<std::size_t> damaged_blocks() const;

 private:
  enum State : std::uint8_t { kUnknown, kSound, kDamaged };
  [[nodiscard]] bool check_each(std::size_t begin, std::size_t size) const;
  [[nodiscard]] bool compare(std::size_t number) const;
  template <class IsSound>
  [[nodiscard]] bool all(std::size_t begin, std::size_t size, IsSound is_sound) const;

  std::string_view bytes_;
  std::vector<std::uint64_t> digests_;
  unsigned shift_;  // of an offset to its block
  std::unique_ptr<std::atomic<std::uint8_t>[]> states_;
  mutable std::atomic<bool> any_damaged_ = false;
};

}  // namespace quarry::corpus
