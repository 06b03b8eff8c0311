// Comparing the vector of a question with those of many passages: one row after the other, and a
// whole search over a million passages on one and two threads.

#include "base/testing/test_executors.h"
#include "corpus/index/vector_index.h"
#include "corpus/index/word_build.h"
#include "corpus/query/dense_search.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <unistd.h>

#include <benchmark/benchmark.h>

namespace quarry::bench {
namespace {

namespace fs = std::filesystem;
using namespace quarry::corpus;

std::vector<float> random_vector(std::size_t dimension, std::mt19937& random) {
  std::normal_distribution<float> value;
  std::vector<float> vector(dimension);
  for (float& one : vector) one = value(random);
  return vector;
}

/// Rows of random values, which is all that the time depends on.
std::string random_rows(std::size_t count, std::uint32_t dimension) {
  std::mt19937_64 random(1);
  std::string rows(count * row_bytes(dimension), '\0');
  for (std::size_t at = 0; at + 8 <= rows.size(); at += 8) {
    const std::uint64_t value = random();
    std::memcpy(rows.data() + at, &value, sizeof value);
  }
  return rows;
}

void multiply(benchmark::State& state) {
  constexpr std::size_t kRows = 100;  // in the cache
  const auto dimension = static_cast<std::uint32_t>(state.range(0));
  std::mt19937 random(2);
  const auto question = *to_question_vector(random_vector(dimension, random));
  const std::string rows = random_rows(kRows, dimension);
  std::vector<std::int32_t> products(kRows);
  for (auto _ : state) {
    multiply_rows(reinterpret_cast<const std::int8_t*>(rows.data()), question, products);
    benchmark::DoNotOptimize(products.data());
  }
  state.counters["a_row"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * kRows,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(multiply)->Arg(256)->Arg(384)->Arg(768)->Arg(1536);

/// A segment of `count` passages, one a file, with vectors on the disk.
class Passages {
 public:
  Passages(std::uint32_t count, std::uint32_t dimension)
      : file_(fs::temp_directory_path() / ("bench-vectors-" + std::to_string(::getpid()))) {
    const std::vector<Document> documents(count, {"a.txt", "word\n"});
    const TermFilter filter;
    words_ = *build_word_table(documents, &filter, inline_, {});
    table_ = *WordTable::open(words_);
    VectorTable vectors{.places = 0,
                        .dimension = dimension,
                        .done = count,
                        .scales = std::vector<float>(count, 0.001F),
                        .texts = std::vector<std::uint64_t>(count, 1),
                        .rows = random_rows(count, dimension)};
    std::ofstream(file_, std::ios::binary) << to_bytes(vectors);
    vectors_ = *VectorIndex::open(file_);
  }
  ~Passages() { fs::remove(file_); }

  [[nodiscard]] std::size_t nearest(const QuestionVector& question, Executor& executor) const {
    const std::vector<Shard> shards = {
        {&table_, [](FileId) { return true; }, [](FileId) { return std::string_view("a.txt"); }}};
    const std::vector<std::shared_ptr<const VectorIndex>> vectors = {vectors_};
    return dense_rank(shards, vectors, question, 50, executor, {}).size();
  }

 private:
  fs::path file_;
  InlineExecutor inline_;
  std::string words_;
  WordTable table_;
  std::shared_ptr<const VectorIndex> vectors_;
};

void search_a_million(benchmark::State& state) {
  const auto dimension = static_cast<std::uint32_t>(state.range(0));
  const Passages passages(1'000'000, dimension);
  Threads executor(static_cast<std::size_t>(state.range(1)));
  std::mt19937 random(3);
  const auto question = *to_question_vector(random_vector(dimension, random));
  // The first one compares each block with its digest.
  benchmark::DoNotOptimize(passages.nearest(question, executor));
  for (auto _ : state) benchmark::DoNotOptimize(passages.nearest(question, executor));
}
BENCHMARK(search_a_million)
    ->ArgsProduct({{256, 384, 768}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace quarry::bench

BENCHMARK_MAIN();
