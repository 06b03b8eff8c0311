#include "corpus/index/vector_row.h"

// Compiled with -O3 (CMakeLists.txt): the loop over a row becomes wide multiplications.

namespace quarry::corpus {
namespace {

[[gnu::always_inline]] inline void multiply(const std::int8_t* rows, std::size_t width,
                                            const std::int16_t* question,
                                            std::span<std::int32_t> products) {
  for (std::int32_t& product : products) {
    std::int32_t sum = 0;
    for (std::size_t i = 0; i < width; ++i) {
      const std::int16_t value = rows[i];
      sum += std::int32_t{value} * std::int32_t{question[i]};
    }
    product = sum;
    rows += width;
  }
}

void multiply_anywhere(const std::int8_t* rows, std::size_t width, const std::int16_t* question,
                       std::span<std::int32_t> products) {
  multiply(rows, width, question, products);
}

#if defined(__x86_64__)
// Not target_clones: its resolver would run before the runtime of a sanitizer is ready.
[[gnu::target("avx2")]] void multiply_avx2(const std::int8_t* rows, std::size_t width,
                                           const std::int16_t* question,
                                           std::span<std::int32_t> products) {
  multiply(rows, width, question, products);
}

using Multiply = decltype(&multiply_anywhere);

Multiply best() {
  return __builtin_cpu_supports("avx2") != 0 ? multiply_avx2 : multiply_anywhere;
}
#endif

}  // namespace

void multiply_rows(const std::int8_t* rows, const QuestionVector& question,
                   std::span<std::int32_t> products) {
#if defined(__x86_64__)
  static const Multiply multiply_best = best();
  multiply_best(rows, question.values.size(), question.values.data(), products);
#else
  multiply_anywhere(rows, question.values.size(), question.values.data(), products);
#endif
}

}  // namespace quarry::corpus
