#pragma once

#include <bit>
#include <cstddef>
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
    const Entry wanted = entry_of(word);
    const Slot next{static_cast<std::uint32_t>(entries_.size()), tag_of(wanted)};
    for (std::size_t at = place_of(next);; at = (at + 1) & (slots_.size() - 1)) {
      const Slot slot = slots_[at];
      if (slot.id == kEmpty) {
        slots_[at] = next;
        entries_.push_back(wanted);
        return {next.id, true};
      }
      if (slot.tag == next.tag && is_same(entries_[slot.id], wanted)) return {slot.id, false};
    }
  }
  /// Makes the entry just added refer to another copy of its bytes.
  void keep_last(std::string_view copy) { entries_.back().bytes = copy.data(); }

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] std::string_view operator[](std::uint32_t id) const {
    return {entries_[id].bytes, entries_[id].size};
  }

 private:
  static constexpr std::uint32_t kEmpty = 0xFFFFFFFF;
  struct Slot {
    std::uint32_t id = kEmpty;
    std::uint32_t tag = 0;
  };
  /// A word with a copy of its bytes, since those in the text are in no cache as a rule: all of a
  /// word of at most 16 bytes, else the first eight and a hash of the others.
  struct Entry {
    std::uint64_t first;
    std::uint64_t other;
    const char* bytes;
    std::uint32_t size;
  };
  static constexpr std::size_t kHalf = sizeof(std::uint64_t);

  static std::uint64_t load(const char* bytes) {
    std::uint64_t value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
  }
  static std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
    return std::rotl(hash ^ value, 23) * 0xD6E8FEB86659FD93u;
  }
  static Entry entry_of(std::string_view word) {
    Entry out{0, 0, word.data(), static_cast<std::uint32_t>(word.size())};
    if (word.size() <= kHalf) {
      std::memcpy(&out.first, word.data(), word.size());
      return out;
    }
    const char* const last = word.data() + word.size() - kHalf;
    out.first = load(word.data());
    out.other = load(last);  // some bytes of both halves, unless the word has 16
    if (word.size() <= 2 * kHalf) return out;
    for (const char* at = word.data() + kHalf; at < last; at += kHalf) {
      out.other = mixed(out.other, load(at));
    }
    return out;
  }
  static std::uint32_t tag_of(const Entry& entry) {
    const std::uint64_t hash = mixed(entry.size * 0x9E3779B97F4A7C15u, entry.first);
    return static_cast<std::uint32_t>(mixed(hash, entry.other) >> 32);
  }
  static bool is_same(const Entry& one, const Entry& other) {
    if (one.first != other.first || one.other != other.other || one.size != other.size) {
      return false;
    }
    return one.size <= 2 * kHalf || std::memcmp(one.bytes, other.bytes, one.size) == 0;
  }
  /// The slot in which the search begins.
  [[nodiscard]] std::size_t place_of(const Slot& slot) const {
    return slot.tag & (slots_.size() - 1);
  }
  void grow() {
    const std::vector<Slot> before = std::exchange(slots_, std::vector<Slot>(slots_.size() * 4));
    for (const Slot& slot : before) {
      if (slot.id == kEmpty) continue;
      std::size_t at = place_of(slot);
      while (slots_[at].id != kEmpty) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::vector<Entry> entries_;
};

}  // namespace quarry::corpus
