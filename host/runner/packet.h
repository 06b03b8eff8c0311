#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace quarry::runner {

/// Appends the fields of a frame's payload: integers in the byte order of the machine (both ends
/// run on it), text with a length of 32 bits.
class PacketWriter {
 public:
  explicit PacketWriter(std::string& out) : out_(out) {}

  template <class Integer>
  PacketWriter& put(Integer value) {
    static_assert(std::is_arithmetic_v<Integer>);
    return append(sizeof value, [&](char* out) { std::memcpy(out, &value, sizeof value); });
  }
  /// Each at most 4 GiB; frames are limited to less (kMaxPayload).
  template <std::same_as<std::string_view>... Text>
  PacketWriter& texts(Text... texts) {
    return append(((sizeof(std::uint32_t) + texts.size()) + ...),
                  [&](char* out) { ((out = write_text(out, texts)), ...); });
  }
  PacketWriter& text(std::string_view text) { return texts(text); }
  /// Bytes without a length.
  [[gnu::always_inline]] PacketWriter& raw(std::string_view bytes) {
    return append(bytes.size(), [&](char* out) { write(out, bytes); });
  }

 private:
  static char* write(char* out, std::string_view bytes) {
    if (!bytes.empty()) std::memcpy(out, bytes.data(), bytes.size());
    return out + bytes.size();
  }
  static char* write_text(char* out, std::string_view text) {
    const auto size = static_cast<std::uint32_t>(text.size());
    std::memcpy(out, &size, sizeof size);
    return write(out + sizeof size, text);
  }
  /// Inline, unlike that of the string: fields are small, and many.
  template <class Write>
  [[gnu::always_inline]] PacketWriter& append(std::size_t size, Write write) {
    const std::size_t place = out_.size();
    out_.resize_and_overwrite(place + size, [&](char* out, std::size_t /*at_least*/) {
      write(out + place);
      return place + size;
    });
    return *this;
  }

  std::string& out_;
};

/// Reads the fields in the same order. A field beyond the end reads as zero or empty, and the
/// packet as malformed.
class PacketReader {
 public:
  explicit PacketReader(std::string_view bytes) : rest_(bytes) {}

  template <class Integer>
  [[nodiscard]] Integer get() {
    static_assert(std::is_arithmetic_v<Integer>);
    Integer value{};
    if (const auto bytes = take(sizeof value); bytes.size() == sizeof value) {
      std::memcpy(&value, bytes.data(), sizeof value);
    }
    return value;
  }
  /// A view into the payload.
  [[nodiscard]] std::string_view text() { return take(get<std::uint32_t>()); }

  /// All bytes that are left.
  [[nodiscard]] std::string_view rest() { return take(rest_.size()); }

  /// True if every field so far was there.
  [[nodiscard]] bool good() const { return good_; }
  /// True if every field was there and nothing is left.
  [[nodiscard]] bool complete() const { return good_ && rest_.empty(); }

 private:
  std::string_view take(std::size_t size) {
    good_ = good_ && size <= rest_.size();
    if (!good_) return {};
    const auto taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  std::string_view rest_;
  bool good_ = true;
};

}  // namespace quarry::runner
