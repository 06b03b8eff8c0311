#include "corpus/segment/checked_bytes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

namespace quarry::corpus {
namespace {

constexpr std::size_t kLanes = 8;  // enough to hide the latency of a multiplication
constexpr std::size_t kStride = kLanes * sizeof(std::uint64_t);

/// A bijection of the lane for a given word, and of the word for a given lane.
std::uint64_t mix(std::uint64_t lane, std::uint64_t word) {
  return std::rotl(lane ^ word, 27) * 0xD6E8FEB86659FD93u;
}

}  // namespace

std::uint64_t digest(std::string_view bytes) {
  std::array<std::uint64_t, kLanes> lanes = {1, 2, 3, 4, 5, 6, 7, 8};
  std::size_t at = 0;
  for (; at + kStride <= bytes.size(); at += kStride) {
    std::array<std::uint64_t, kLanes> words;
    std::memcpy(words.data(), bytes.data() + at, kStride);
    for (std::size_t i = 0; i < kLanes; ++i) lanes[i] = mix(lanes[i], words[i]);
  }
  for (; at < bytes.size(); ++at) lanes[0] = mix(lanes[0], static_cast<unsigned char>(bytes[at]));
  std::uint64_t sum = mix(0x9E3779B97F4A7C15u, bytes.size());
  for (const std::uint64_t lane : lanes) sum = mix(sum, lane);
  return sum;
}

std::vector<std::uint64_t> block_digests(std::string_view bytes, std::size_t block) {
  std::vector<std::uint64_t> digests;
  digests.reserve((bytes.size() + block - 1) / block);
  for (std::size_t at = 0; at < bytes.size(); at += block) {
    digests.push_back(digest(bytes.substr(at, block)));
  }
  return digests;
}

CheckedBytes::CheckedBytes(std::string_view bytes, std::vector<std::uint64_t> digests,
                           std::size_t block)
    : bytes_(bytes),
      digests_(std::move(digests)),
      shift_(static_cast<unsigned>(std::countr_zero(block))),
      states_(std::make_unique<std::atomic<std::uint8_t>[]>(digests_.size())) {}

template <class IsSound>
bool CheckedBytes::all(std::size_t begin, std::size_t size, IsSound is_sound) const {
  if (begin > bytes_.size() || size > bytes_.size() - begin) return false;
  if (size == 0) return true;
  bool sound = true;
  for (std::size_t i = begin >> shift_; i <= (begin + size - 1) >> shift_; ++i) {
    if (!is_sound(i)) sound = false;
  }
  return sound;
}

bool CheckedBytes::check_each(std::size_t begin, std::size_t size) const {
  return all(begin, size, [this](std::size_t i) {
    const auto state = states_[i].load(std::memory_order_relaxed);
    return state == kUnknown ? compare(i) : state == kSound;
  });
}

bool CheckedBytes::recheck(std::size_t begin, std::size_t size) const {
  return all(begin, size, [this](std::size_t i) { return compare(i); });
}

/// A block found damaged remains so, even if its bytes are right later.
bool CheckedBytes::compare(std::size_t number) const {
  if (states_[number] == kDamaged) return false;
  if (digest(bytes_.substr(number << shift_, std::size_t{1} << shift_)) == digests_[number]) {
    std::uint8_t unknown = kUnknown;
    states_[number].compare_exchange_strong(unknown, kSound);
    return true;
  }
  states_[number] = kDamaged;
  any_damaged_ = true;
  return false;
}

std::vector<std::size_t> CheckedBytes::damaged_blocks() const {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; is_damaged() && i < digests_.size(); ++i) {
    if (states_[i] == kDamaged) numbers.push_back(i);
  }
  return numbers;
}

}  // namespace quarry::corpus
