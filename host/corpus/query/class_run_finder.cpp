#include "corpus/query/class_run_finder.h"

#include <algorithm>
#include <bit>
#include <cmath>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace quarry::corpus {
namespace {

using Group = ClassRunFinder::Group;
using Groups = std::span<const Group>;

bool matches_at(const char* place, Groups groups) {
  return std::ranges::all_of(groups, [place](const Group& group) {
    const std::string_view bytes(place + group.offset, group.count);
    return std::ranges::all_of(bytes, [&](char byte) { return group.table.holds(byte); });
  });
}

const char* find_slowly(const char* from, const char* end, Groups groups, std::size_t size) {
  for (; end - from >= static_cast<std::ptrdiff_t>(size); ++from) {
    if (matches_at(from, groups)) return from;
  }
  return nullptr;
}

#if defined(__x86_64__)

/// 64 bytes, and for each the bit of its high half in a column of a table.
struct Block {
  __m256i bytes[2];
  __m256i bits[2];
};

__attribute__((target("avx2"))) inline Block load_block(const char* from) {
  const __m256i half = _mm256_set1_epi8(0x0f);
  const __m256i bit_of = _mm256_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0, 1,
                                          2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0);
  Block block;
  for (int i = 0; i < 2; ++i) {
    block.bytes[i] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from) + i);
    const auto high = _mm256_and_si256(_mm256_srli_epi16(block.bytes[i], 4), half);
    block.bits[i] = _mm256_shuffle_epi8(bit_of, high);
  }
  return block;
}

/// A mask of the bytes of the block that belong to the class.
__attribute__((target("avx2"))) inline std::uint64_t members(const Block& block,
                                                             const ClassRunFinder::Table& table) {
  const __m256i columns = _mm256_broadcastsi128_si256(
      _mm_loadu_si128(reinterpret_cast<const __m128i*>(table.columns.data())));
  const __m256i beyond = _mm256_set1_epi8(static_cast<char>(table.beyond));
  std::uint32_t out[2];
  for (int i = 0; i < 2; ++i) {
    // The shuffle gives zero for bytes beyond ASCII.
    const auto ascii =
        _mm256_and_si256(_mm256_shuffle_epi8(columns, block.bytes[i]), block.bits[i]);
    const auto belongs = _mm256_or_si256(ascii, _mm256_and_si256(block.bytes[i], beyond));
    const auto others = _mm256_cmpeq_epi8(belongs, _mm256_setzero_si256());
    out[i] = ~static_cast<std::uint32_t>(_mm256_movemask_epi8(others));
  }
  return std::uint64_t{out[1]} << 32 | out[0];
}

/// The positions of `count` consecutive set bits.
std::uint64_t begins_of(std::uint64_t bits, unsigned count) {
  for (unsigned length = 1; length < count;) {
    const unsigned more = std::min(length, count - length);
    bits &= bits >> more;
    length += more;
  }
  return bits;
}

/// Blocks overlap, so that the whole run at every position is in one block. Most blocks do not
/// contain the rarest group, and the other groups are not searched there.
__attribute__((target("avx2"))) const char* find_avx2(const char* from, const char* end,
                                                      Groups groups, std::size_t size) {
  constexpr std::ptrdiff_t kWidth = 64;
  const std::ptrdiff_t step = kWidth + 1 - static_cast<std::ptrdiff_t>(size);
  for (; end - from >= kWidth; from += step) {
    const Block block = load_block(from);
    std::uint64_t places = ~0ull;
    for (const Group& group : groups) {
      places &= begins_of(members(block, group.table), group.count) >> group.offset;
      if (places == 0) break;
    }
    if (places != 0) return from + std::countr_zero(places);
  }
  return find_slowly(from, end, groups, size);
}

bool is_quick() {
  return __builtin_cpu_supports("avx2") != 0;
}
constexpr auto find_run = find_avx2;

#else

constexpr bool is_quick() {
  return false;
}
constexpr auto find_run = find_slowly;

#endif

}  // namespace

ClassRunFinder::Table::Table(const ByteClass& bytes) : beyond(bytes.beyond ? 0x80 : 0) {
  for (unsigned byte = 0; byte < 128; ++byte) {
    if (bytes.ascii[byte]) columns[byte & 15] |= static_cast<std::uint8_t>(1u << (byte >> 4));
  }
}

bool ClassRunFinder::Table::holds(char byte) const {
  const auto value = static_cast<unsigned char>(byte);
  if (value >= 0x80) return beyond != 0;
  return (columns[value & 15] >> (value >> 4) & 1) != 0;
}

ClassRunFinder::ClassRunFinder(std::span<const ByteClass> run) : size_(run.size()) {
  std::vector<std::pair<double, Group>> by_share;
  for (std::size_t begin = 0; begin < run.size();) {
    const auto same = run.subspan(begin);
    const auto count = static_cast<std::size_t>(
        std::ranges::find_if(same, [&](const auto& one) { return one != same.front(); }) -
        same.begin());
    const double share = std::pow(share_of(same.front()) / 1000, count);
    by_share.push_back(
        {share, {Table(same.front()), static_cast<unsigned>(begin), static_cast<unsigned>(count)}});
    begin += count;
  }
  std::ranges::stable_sort(by_share, {}, [](const auto& one) { return one.first; });
  for (auto& [share, group] : by_share) groups_.push_back(group);
}

std::optional<ClassRunFinder> ClassRunFinder::make(const std::vector<ByteClass>& run) {
  if (run.empty() || !is_quick()) return std::nullopt;
  return ClassRunFinder(std::span(run).first(std::min(run.size(), kLongestRun)));
}

std::size_t ClassRunFinder::find(std::string_view text, std::size_t from) const {
  if (from >= text.size()) return npos;
  const char* const at = find_run(text.data() + from, text.data() + text.size(), groups_, size_);
  return at == nullptr ? npos : static_cast<std::size_t>(at - text.data());
}

}  // namespace quarry::corpus
