#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace quarry::corpus {

/// Appends `value` in seven-bit groups, least first; the last byte has its top bit clear.
inline void append_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

/// Reads from bytes that may be damaged: past the end all values are zero and ok() is false.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : at_(bytes.data()), end_(at_ + bytes.size()) {}

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool at_end() const { return at_ == end_; }
  [[nodiscard]] const char* position() const { return at_; }

  std::uint8_t byte() {
    if (at_ == end_) return static_cast<std::uint8_t>(fail());
    return static_cast<std::uint8_t>(*at_++);
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 63 && at_ != end_; shift += 7) {
      const auto group = static_cast<std::uint8_t>(*at_++);
      value |= static_cast<std::uint64_t>(group & 0x7F) << shift;
      if (group < 0x80) return value;
    }
    return fail();
  }
  std::string_view take(std::size_t count) {
    if (count > static_cast<std::size_t>(end_ - at_)) {
      fail();
      return {};
    }
    const std::string_view bytes(at_, count);
    at_ += count;
    return bytes;
  }

 private:
  std::uint64_t fail() {
    ok_ = false;
    at_ = end_;
    return 0;
  }
  const char* at_;
  const char* end_;
  bool ok_ = true;
};

/// A view of the numbers of an array in memory, which need not be aligned.
template <class T>
class Column {
 public:
  Column() = default;
  explicit Column(std::string_view bytes) : data_(bytes.data()), size_(bytes.size() / sizeof(T)) {}
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] T operator[](std::size_t i) const {
    T value;
    std::memcpy(&value, data_ + i * sizeof(T), sizeof(T));
    return value;
  }

 private:
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace quarry::corpus
