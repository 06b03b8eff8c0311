#pragma once

#include "corpus/segment/checked_bytes.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace quarry::corpus {

/// An array of a mapped file, each block of which is compared with its digest before it is first
/// read. The bytes may still change afterwards: no element is read beyond the array, but its value
/// may be any, so that readers check what they use as an index. Cheap to copy; valid as long as its
/// bytes. Thread-safe.
template <class T>
requires std::is_trivially_copyable_v<T>
class CheckedArray {
 public:
  CheckedArray() = default;
  /// `count` elements from byte `begin` on, which are within `bytes`.
  CheckedArray(const CheckedBytes& bytes, std::size_t begin, std::size_t count)
      : bytes_(&bytes), begin_(begin), size_(count) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  /// Element `i`; T() beyond the end or in a damaged block.
  [[nodiscard]] T operator[](std::size_t i) const {
    T value{};
    if (i < size_ && bytes_->check(begin_ + i * sizeof(T), sizeof(T))) {
      std::memcpy(&value, data() + i * sizeof(T), sizeof(T));
    }
    return value;
  }
  /// False if elements [from, from + count) are beyond the end or damaged at this moment.
  [[nodiscard]] bool recheck(std::size_t from, std::size_t count) const {
    return count == 0 || (from < size_ && count <= size_ - from &&
                          bytes_->recheck(begin_ + from * sizeof(T), count * sizeof(T)));
  }
  /// Elements [from, to) as far as the array has them.
  [[nodiscard]] CheckedArray part(std::size_t from, std::size_t to) const {
    CheckedArray out = *this;
    from = std::min(from, size_);
    out.begin_ += from * sizeof(T);
    out.size_ = std::max(from, std::min(to, size_)) - from;
    return out;
  }
  /// All as text; empty if a block is damaged.
  [[nodiscard]] std::string_view text() const requires std::is_same_v<T, char> {
    return size_ != 0 && bytes_->check(begin_, size_) ? std::string_view(data(), size_)
                                                      : std::string_view();
  }

 private:
  [[nodiscard]] const char* data() const { return bytes_->bytes().data() + begin_; }

  const CheckedBytes* bytes_ = nullptr;
  std::size_t begin_ = 0;
  std::size_t size_ = 0;
};

}  // namespace quarry::corpus
