#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// Numbers distinct byte strings 0, 1, 2 … in order of first appearance. Stores views: the bytes
/// must outlive it. Not thread-safe.
class WordInterner {
 public:
  WordInterner() : slots_(1u << 12, kEmpty) {}

  struct Added {
    std::uint32_t id;
    bool is_new;
  };
  Added add(std::string_view word) {
    if (entries_.size() * 2 >= slots_.size()) grow();
    const std::uint64_t hash = hash_of(word);
    for (std::size_t at = hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
      const std::uint32_t id = slots_[at];
      if (id == kEmpty) {
        slots_[at] = static_cast<std::uint32_t>(entries_.size());
        entries_.push_back({word, hash});
        return {slots_[at], true};
      }
      if (entries_[id].hash == hash && entries_[id].word == word) return {id, false};
    }
  }
  /// Makes the entry just added refer to another copy of its bytes.
  void keep_last(std::string_view copy) { entries_.back().word = copy; }

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] std::string_view operator[](std::uint32_t id) const { return entries_[id].word; }

 private:
  static constexpr std::uint32_t kEmpty = 0xFFFFFFFF;
  struct Entry {
    std::string_view word;
    std::uint64_t hash;
  };

  static std::uint64_t hash_of(std::string_view word) {
    std::uint64_t hash = word.size() * 0x9E3779B97F4A7C15u;
    const auto mix = [&](std::uint64_t value) {
      hash = std::rotl(hash ^ value, 23) * 0xD6E8FEB86659FD93u;
    };
    std::size_t at = 0;
    for (; at + 8 <= word.size(); at += 8) {
      std::uint64_t value;
      std::memcpy(&value, word.data() + at, 8);
      mix(value);
    }
    std::uint64_t tail = 0;
    std::memcpy(&tail, word.data() + at, word.size() - at);
    mix(tail);
    return hash ^ hash >> 29;
  }
  void grow() {
    slots_.assign(slots_.size() * 4, kEmpty);
    for (std::uint32_t id = 0; id < entries_.size(); ++id) {
      std::size_t at = entries_[id].hash & (slots_.size() - 1);
      while (slots_[at] != kEmpty) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = id;
    }
  }

  std::vector<std::uint32_t> slots_;
  std::vector<Entry> entries_;
};

}  // namespace quarry::corpus
