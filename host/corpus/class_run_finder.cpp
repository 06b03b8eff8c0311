#include "corpus/class_run_finder.h"

#include <algorithm>
#include <bit>
#include <span>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace quarry::corpus {
namespace {

using Tables = std::span<const ClassRunFinder::Table>;

const char* find_slowly(const char* from, const char* end, Tables tables) {
  const auto size = static_cast<std::ptrdiff_t>(tables.size());
  for (; end - from >= size; ++from) {
    std::size_t i = 0;
    while (i < tables.size() && tables[i].holds(from[i])) ++i;
    if (i == tables.size()) return from;
  }
  return nullptr;
}

#if defined(__x86_64__)

/// 32 places at a time: a byte belongs to a class when the bit of its high half is set in the entry
/// of its low half.
__attribute__((target("avx2"))) const char* find_avx2(const char* from, const char* end,
                                                      Tables tables) {
  constexpr std::ptrdiff_t kWidth = 32;
  const __m256i half = _mm256_set1_epi8(0x0f);
  const __m256i bits = _mm256_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2,
                                        4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0);
  __m256i columns[kLongestRun];
  __m256i beyond[kLongestRun];
  for (std::size_t i = 0; i < tables.size(); ++i) {
    columns[i] = _mm256_broadcastsi128_si256(
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(tables[i].columns.data())));
    beyond[i] = _mm256_set1_epi8(static_cast<char>(tables[i].beyond));
  }
  const auto reach = kWidth + static_cast<std::ptrdiff_t>(tables.size()) - 1;
  for (; end - from >= reach; from += kWidth) {
    __m256i none = _mm256_setzero_si256();  // places where some byte does not belong
    for (std::size_t i = 0; i < tables.size(); ++i) {
      const auto bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i));
      const auto low = _mm256_and_si256(bytes, half);
      const auto high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), half);
      const auto ascii =
          _mm256_and_si256(_mm256_shuffle_epi8(columns[i], low), _mm256_shuffle_epi8(bits, high));
      const auto belongs = _mm256_or_si256(ascii, _mm256_and_si256(bytes, beyond[i]));
      none = _mm256_or_si256(none, _mm256_cmpeq_epi8(belongs, _mm256_setzero_si256()));
    }
    const auto places = ~static_cast<unsigned>(_mm256_movemask_epi8(none));
    if (places != 0) return from + std::countr_zero(places);
  }
  return find_slowly(from, end, tables);
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

ClassRunFinder::ClassRunFinder(const std::vector<ByteClass>& run)
    : tables_(run.begin(),
              run.begin() + static_cast<std::ptrdiff_t>(std::min(run.size(), kLongestRun))) {}

std::optional<ClassRunFinder> ClassRunFinder::make(const std::vector<ByteClass>& run) {
  if (run.empty() || !is_quick()) return std::nullopt;
  return ClassRunFinder(run);
}

std::size_t ClassRunFinder::find(std::string_view text, std::size_t from) const {
  if (from >= text.size()) return npos;
  const char* const at = find_run(text.data() + from, text.data() + text.size(), tables_);
  return at == nullptr ? npos : static_cast<std::size_t>(at - text.data());
}

}  // namespace quarry::corpus
