#include "corpus/text/literal_finder.h"

#include "base/text.h"
#include "corpus/text/letter_case.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace quarry::corpus {
namespace {

/// The bytes of source code and prose, the most frequent first; all others are rarer.
constexpr std::string_view kFrequent =
    " etnarsoiclpudmfgh/_.,\n\t()b-v0=x\"1y;:k*2{}w'E3I>T4A85S6C7LRz[]#N<OPD9FMBqUj&GV\\H$W";

constexpr std::array<std::uint8_t, 256> rarity_table() {
  std::array<std::uint8_t, 256> table{};
  table.fill(255);
  for (std::size_t i = 0; i < kFrequent.size(); ++i) {
    table[static_cast<unsigned char>(kFrequent[i])] = static_cast<std::uint8_t>(i);
  }
  return table;
}
constexpr auto kRarity = rarity_table();

unsigned rarity_of(char byte) {
  return kRarity[static_cast<unsigned char>(byte)];
}

bool is_letter(char byte) {
  return byte >= 'a' && byte <= 'z';
}

/// A byte to search for: `byte` equals the byte of the text with the bits of `fold` set.
struct Probe {
  char byte;
  char fold;

  [[nodiscard]] bool fits(char other) const { return static_cast<char>(other | fold) == byte; }
};

/// The first place in [from, to) with `a` there and `b` `distance` bytes further; null if there is
/// none. Reads up to `to` + `distance`.
const char* find_pair_slowly(const char* from, const char* to, Probe a, Probe b,
                             std::size_t distance) {
  for (; from < to; ++from) {
    if (a.fits(*from) && b.fits(from[distance])) return from;
  }
  return nullptr;
}

#if defined(__x86_64__)

__attribute__((target("avx2"))) const char* find_pair_avx2(const char* from, const char* to,
                                                           Probe a, Probe b, std::size_t distance) {
  constexpr std::ptrdiff_t kWidth = 32;
  const __m256i byte_a = _mm256_set1_epi8(a.byte);
  const __m256i fold_a = _mm256_set1_epi8(a.fold);
  const __m256i byte_b = _mm256_set1_epi8(b.byte);
  const __m256i fold_b = _mm256_set1_epi8(b.fold);
  for (; to - from >= kWidth; from += kWidth) {
    const auto at_a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    const auto at_b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + distance));
    const auto both = _mm256_and_si256(_mm256_cmpeq_epi8(_mm256_or_si256(at_a, fold_a), byte_a),
                                       _mm256_cmpeq_epi8(_mm256_or_si256(at_b, fold_b), byte_b));
    const auto places = static_cast<unsigned>(_mm256_movemask_epi8(both));
    if (places != 0) return from + std::countr_zero(places);
  }
  return find_pair_slowly(from, to, a, b, distance);
}

const char* find_pair_sse2(const char* from, const char* to, Probe a, Probe b,
                           std::size_t distance) {
  constexpr std::ptrdiff_t kWidth = 16;
  const __m128i byte_a = _mm_set1_epi8(a.byte);
  const __m128i fold_a = _mm_set1_epi8(a.fold);
  const __m128i byte_b = _mm_set1_epi8(b.byte);
  const __m128i fold_b = _mm_set1_epi8(b.fold);
  for (; to - from >= kWidth; from += kWidth) {
    const auto at_a = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    const auto at_b = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + distance));
    const auto both = _mm_and_si128(_mm_cmpeq_epi8(_mm_or_si128(at_a, fold_a), byte_a),
                                    _mm_cmpeq_epi8(_mm_or_si128(at_b, fold_b), byte_b));
    const auto places = static_cast<unsigned>(_mm_movemask_epi8(both));
    if (places != 0) return from + std::countr_zero(places);
  }
  return find_pair_slowly(from, to, a, b, distance);
}

const auto find_pair = __builtin_cpu_supports("avx2") ? find_pair_avx2 : find_pair_sse2;

#else

constexpr auto find_pair = find_pair_slowly;

#endif

}  // namespace

std::size_t rarest_byte(std::string_view literal) {
  return static_cast<std::size_t>(std::ranges::max_element(literal, {}, rarity_of) -
                                  literal.begin());
}

LiteralFinder::LiteralFinder(std::string literal, bool ignore_case)
    : literal_(ignore_case ? to_lower(literal) : std::move(literal)), ignore_case_(ignore_case) {
  first_ = rarest_byte(literal_);
  if (literal_.size() > 1) second_ = first_ == 0 ? 1 : 0;
  for (std::size_t i = 0; i < literal_.size(); ++i) {
    if (i != first_ && rarity_of(literal_[i]) > rarity_of(literal_[second_])) second_ = i;
  }
  if (first_ > second_) std::swap(first_, second_);
}

unsigned LiteralFinder::rarity() const {
  return rarity_of(literal_[first_]) + rarity_of(literal_[second_]) +
         static_cast<unsigned>(literal_.size()) * 16;
}

bool LiteralFinder::matches_at(const char* place) const {
  if (!ignore_case_) return std::memcmp(place, literal_.data(), literal_.size()) == 0;
  for (std::size_t i = 0; i < literal_.size(); ++i) {
    const auto lower = static_cast<char>(kLowerCase[static_cast<unsigned char>(place[i])]);
    if (lower != literal_[i]) return false;
  }
  return true;
}

std::size_t LiteralFinder::find(std::string_view text, std::size_t from) const {
  if (text.size() < literal_.size()) return npos;
  const auto probe = [this](std::size_t at) {
    const char fold = ignore_case_ && is_letter(literal_[at]) ? 0x20 : 0;
    return Probe{literal_[at], fold};
  };
  const Probe a = probe(first_);
  const Probe b = probe(second_);
  const char* const begin = text.data() + first_;
  const char* const end = begin + (text.size() - literal_.size() + 1);
  for (const char* at = begin + from; at < end; ++at) {
    at = find_pair(at, end, a, b, second_ - first_);
    if (at == nullptr) return npos;
    if (matches_at(at - first_)) return static_cast<std::size_t>(at - begin);
  }
  return npos;
}

}  // namespace quarry::corpus
