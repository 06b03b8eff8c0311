#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace quarry::corpus {

/// Numbers distinct byte strings 0, 1, 2 … in order of first appearance. Stores views: the bytes
/// must outlive it. Not thread-safe.
class WordInterner {
 public:
  WordInterner() : slots_(1u << 12) {}

  struct Added {
    std::uint32_t id;
    bool is_new;
  };
  Added add(std::string_view word) {
    if (entries_.size() * 2 >= slots_.size()) grow();
    const std::uint64_t hash = hash_of(word);
    const Slot wanted{static_cast<std::uint32_t>(entries_.size()), tag_of(hash)};
    for (std::size_t at = hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
      const Slot slot = slots_[at];
      if (slot.id == kEmpty) {
        slots_[at] = wanted;
        entries_.push_back({word, hash});
        return {wanted.id, true};
      }
      if (slot.tag == wanted.tag && is_word(entries_[slot.id], word, hash)) return {slot.id, false};
    }
  }
  /// Makes the entry just added refer to another copy of its bytes.
  void keep_last(std::string_view copy) { entries_.back().word = copy; }

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] std::string_view operator[](std::uint32_t id) const { return entries_[id].word; }

 private:
  static constexpr std::uint32_t kEmpty = 0xFFFFFFFF;
  /// A word is compared by its own bytes last, since most of those are in no cache.
  struct Slot {
    std::uint32_t id = kEmpty;
    std::uint32_t tag = 0;  ///< see tag_of
  };
  struct Entry {
    std::string_view word;
    std::uint64_t hash;
  };

  /// The part of a hash that does not choose the slot.
  static std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }
  static bool is_word(const Entry& entry, std::string_view word, std::uint64_t hash) {
    if (entry.hash != hash || entry.word.size() != word.size()) return false;
    return word.size() <= kExactBytes || entry.word == word;
  }

  /// Words of the same size up to this have different hashes: each step of `hash_of` is reversible,
  /// and they are one value.
  static constexpr std::size_t kExactBytes = 8;
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
    std::vector<Slot> slots(slots_.size() * 4);
    for (std::uint32_t id = 0; id < entries_.size(); ++id) {
      std::size_t at = entries_[id].hash & (slots.size() - 1);
      while (slots[at].id != kEmpty) at = (at + 1) & (slots.size() - 1);
      slots[at] = {id, tag_of(entries_[id].hash)};
    }
    slots_ = std::move(slots);
  }

  std::vector<Slot> slots_;
  std::vector<Entry> entries_;
};

}  // namespace quarry::corpus
