#pragma once

#include "base/error.h"
#include "runner/packet.h"
#include "runner/protocol.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace quarry::runner {

/// A received frame. On the wire: length of the rest u32, kind u8, call number u32, payload.
struct Frame {
  Kind kind = Kind::kLast;
  std::uint32_t call = 0;
  std::string_view payload;
  std::string_view bytes;  ///< all of it, as on the wire
};

/// Bytes before the payload, without the length.
inline constexpr std::size_t kFrameHead = 5;
/// Bytes before the payload.
inline constexpr std::size_t kFrameOverhead = 4 + kFrameHead;
/// A buffer of frames with more memory, in bytes, is freed once it has been used.
inline constexpr std::size_t kMostKept = 1u << 20;

/// Appends one frame; `fill` gets the PacketWriter of its payload.
template <class Fill>
void append_frame(std::string& out, Kind kind, std::uint32_t call, Fill fill) {
  const std::size_t start = out.size();
  PacketWriter packet(out);
  std::array<char, kFrameOverhead> head{};  // its length is written last
  head[4] = static_cast<char>(kind);
  std::memcpy(&head[5], &call, sizeof call);
  packet.raw({head.data(), head.size()});
  fill(packet);
  const auto length = static_cast<std::uint32_t>(out.size() - start - 4);
  std::memcpy(out.data() + start, &length, sizeof length);
}

/// Outcome of taking a frame.
enum class Taken : std::uint8_t { kFrame, kIncomplete, kMalformed };

/// `length`: of a frame without its first four bytes.
[[nodiscard]] constexpr bool has_valid_length(std::uint32_t length) {
  return length >= kFrameHead && length - kFrameHead <= kMaxPayload;
}

/// Takes the first frame from `bytes`.
inline Taken take_frame(std::string_view& bytes, Frame& frame) {
  if (bytes.size() < kFrameOverhead) return Taken::kIncomplete;
  PacketReader head(bytes.substr(0, kFrameOverhead));
  const auto length = head.get<std::uint32_t>();
  const auto kind = head.get<std::uint8_t>();
  const auto call = head.get<std::uint32_t>();
  if (!has_valid_length(length) || !is_known(kind)) return Taken::kMalformed;
  if (bytes.size() - 4 < length) return Taken::kIncomplete;
  frame = {static_cast<Kind>(kind), call, bytes.substr(kFrameOverhead, length - kFrameHead),
           bytes.substr(0, 4 + length)};
  bytes.remove_prefix(4 + length);
  return Taken::kFrame;
}

/// Takes the first frame from `bytes`: empty if it is incomplete. The error, a predicate such as
/// "sent a frame of 9 bytes…", says how it is malformed.
Result<std::optional<Frame>> take_frame(std::string_view& bytes);

/// Collects received bytes and splits them into frames. Its memory is bounded by one frame and one
/// read, whatever the length field says.
class FrameBuffer {
 public:
  /// Space for the next bytes, never empty. Invalidates frames.
  std::span<char> space();
  /// The first `count` bytes of the space were received.
  void received(std::size_t count) { end_ += count; }
  /// The next complete frame, valid until space() is called; see take_frame.
  Result<std::optional<Frame>> next();
  /// The same without the cause, for many small frames.
  Taken next(Frame& frame) {
    auto rest = std::string_view(bytes_).substr(begin_, end_ - begin_);
    const auto taken = take_frame(rest, frame);
    begin_ = end_ - rest.size();
    return taken;
  }

 private:
  std::string bytes_;
  std::size_t begin_ = 0;  // of the bytes not taken yet
  std::size_t end_ = 0;
};

}  // namespace quarry::runner
