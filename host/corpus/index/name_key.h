#pragma once

#include <algorithm>
#include <bit>
#include <compare>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace quarry::corpus {

/// A name in the order of its bytes. Most names differ in their first eight, which are compared as
/// one number, without reading the name itself. A view: the bytes must outlive it.
class NameKey {
 public:
  NameKey() = default;
  explicit NameKey(std::string_view name) : name_(name) {
    std::memcpy(&begin_, name.data(), std::min(name.size(), sizeof begin_));
    if constexpr (std::endian::native == std::endian::little) begin_ = std::byteswap(begin_);
  }
  [[nodiscard]] std::string_view name() const { return name_; }

  friend std::strong_ordering operator<=>(const NameKey& one, const NameKey& other) {
    if (one.begin_ != other.begin_) return one.begin_ <=> other.begin_;
    return one.name_ <=> other.name_;
  }
  friend bool operator==(const NameKey& one, const NameKey& other) {
    return one.begin_ == other.begin_ && one.name_ == other.name_;
  }

 private:
  std::string_view name_;
  std::uint64_t begin_ = 0;  ///< big-endian; zeros behind the end of the name
};

}  // namespace quarry::corpus
