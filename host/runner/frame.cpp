#include "runner/frame.h"

#include <algorithm>

namespace quarry::runner {
namespace {

constexpr std::size_t kReadSize = 128u << 10;

Error malformed(std::string message) {
  return {Code::kInternal, std::move(message)};
}

}  // namespace

Result<std::optional<Frame>> take_frame(std::string_view& bytes) {
  Frame frame;
  const auto taken = take_frame(bytes, frame);
  if (taken == Taken::kFrame) return std::optional<Frame>(frame);
  if (taken == Taken::kIncomplete) return std::optional<Frame>();
  PacketReader head(bytes);
  const auto length = head.get<std::uint32_t>();
  const auto kind = head.get<std::uint8_t>();
  if (has_valid_length(length)) {
    return malformed("sent a frame of unknown kind " + std::to_string(kind));
  }
  return malformed("sent a frame of " + std::to_string(length) + " bytes, which is not between " +
                   std::to_string(kFrameHead) + " and " + std::to_string(kFrameHead + kMaxPayload));
}

std::span<char> FrameBuffer::space() {
  if (begin_ == end_) begin_ = end_ = 0;
  if (begin_ > 0 && bytes_.size() - end_ < kReadSize) {
    std::memmove(bytes_.data(), bytes_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  // The memory of a large frame is not kept.
  if (end_ == 0 && bytes_.size() > 16 * kReadSize) bytes_ = {};
  bytes_.resize(std::max(bytes_.size(), end_ + kReadSize));
  return {bytes_.data() + end_, bytes_.size() - end_};
}

Result<std::optional<Frame>> FrameBuffer::next() {
  auto rest = std::string_view(bytes_).substr(begin_, end_ - begin_);
  auto frame = take_frame(rest);
  begin_ = end_ - rest.size();
  return frame;
}

}  // namespace quarry::runner
