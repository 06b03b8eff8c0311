#include "corpus/query/dense_search.h"

#include "corpus/query/candidates.h"

#include <algorithm>
#include <map>
#include <utility>

namespace quarry::corpus {
namespace {

constexpr PassageId kChunk = 8192;  // rows of one job
constexpr std::size_t kPassagesPerFile = 3;
constexpr std::size_t kSpare = 4;  // nearest passages of a chunk, times the limit: files repeat

/// Rows of one shard that follow each other, all of admitted files.
struct Chunk {
  std::uint32_t shard;
  PassageId begin;
  PassageId end;
};

void append_range(std::vector<Chunk>& chunks, std::uint32_t shard, PassageId begin, PassageId end) {
  const bool extends = !chunks.empty() && chunks.back().shard == shard &&
                       chunks.back().end == begin && end - chunks.back().begin <= kChunk;
  if (extends) {
    chunks.back().end = end;
    return;
  }
  for (; begin < end; begin += std::min(kChunk, end - begin)) {
    chunks.push_back({shard, begin, begin + std::min(kChunk, end - begin)});
  }
}

/// The rows to compare, in pieces of a bounded size.
std::vector<Chunk> chunks_of(std::span<const Shard> shards,
                             std::span<const std::shared_ptr<const VectorIndex>> vectors,
                             std::uint32_t dimension) {
  std::vector<Chunk> chunks;
  for (std::uint32_t i = 0; i < shards.size(); ++i) {
    if (!vectors[i] || vectors[i]->dimension() != dimension) continue;
    const WordTable& table = *shards[i].table;
    for (FileId file = 0; file < table.file_count(); ++file) {
      if (!shards[i].admits(file)) continue;
      const auto [begin, end] = table.passages_of(file);
      append_range(chunks, i, begin, end);
    }
  }
  return chunks;
}

/// The best passages of one chunk, as many as asked for.
class Nearest {
 public:
  explicit Nearest(std::size_t limit) : limit_(limit) {}

  void offer(const RankedPassage& passage) {
    if (best_.size() == limit_ && !is_better(passage, best_.front())) return;
    if (best_.size() == limit_) {
      std::ranges::pop_heap(best_, is_better);
      best_.pop_back();
    }
    best_.push_back(passage);
    std::ranges::push_heap(best_, is_better);  // the worst is in front
  }
  std::vector<RankedPassage> take() { return std::move(best_); }

 private:
  std::size_t limit_;
  std::vector<RankedPassage> best_;
};

/// Rows are compared with their digests a block at a time, right before they are read.
std::vector<RankedPassage> nearest_of(const Chunk& chunk, const Shard& shard,
                                      const VectorIndex& vectors, const QuestionVector& question,
                                      std::size_t limit) {
  Nearest nearest(limit);
  const auto step = static_cast<PassageId>(
      std::max<std::size_t>(1, kVectorBlockBytes / row_bytes(question.dimension)));
  std::vector<std::int32_t> products(step);
  for (PassageId begin = chunk.begin; begin < chunk.end; begin += step) {
    const PassageId count = std::min(step, chunk.end - begin);
    if (!vectors.check(begin, count)) continue;
    multiply_rows(vectors.rows(begin), question, std::span(products).first(count));
    for (PassageId i = 0; i < count; ++i) {
      if (products[i] <= 0) continue;
      const PassageId passage = begin + i;
      const double cosine = double{vectors.scale(passage)} * question.scale * products[i];
      nearest.offer({chunk.shard, shard.table->file_of(passage), passage, cosine});
    }
  }
  return nearest.take();
}

/// At most three passages of a file, and `limit` of all.
std::vector<RankedPassage> spread(std::span<const RankedPassage> sorted, std::size_t limit,
                                  std::span<const std::shared_ptr<const VectorIndex>> vectors) {
  std::vector<RankedPassage> out;
  std::map<std::pair<std::uint32_t, FileId>, std::size_t> of_file;
  for (const RankedPassage& passage : sorted) {
    if (out.size() == limit) break;
    std::size_t& count = of_file[{passage.shard, passage.file}];
    if (count == kPassagesPerFile || !vectors[passage.shard]->recheck(passage.passage)) continue;
    ++count;
    out.push_back(passage);
  }
  return out;
}

}  // namespace

std::vector<RankedPassage> dense_rank(std::span<const Shard> shards,
                                      std::span<const std::shared_ptr<const VectorIndex>> vectors,
                                      const QuestionVector& question, std::size_t limit,
                                      Executor& executor, const std::stop_token& stop) {
  const std::vector<Chunk> chunks = chunks_of(shards, vectors, question.dimension);
  std::vector<std::vector<RankedPassage>> found(chunks.size());
  parallel_for(executor, chunks.size(), [&](std::size_t i) {
    if (stop.stop_requested()) return;
    const std::uint32_t shard = chunks[i].shard;
    found[i] = nearest_of(chunks[i], shards[shard], *vectors[shard], question, kSpare * limit);
  });
  if (stop.stop_requested()) return {};
  std::vector<RankedPassage> all;
  for (const auto& some : found) all.insert(all.end(), some.begin(), some.end());
  std::ranges::sort(all, is_better);
  return spread(all, limit, vectors);
}

}  // namespace quarry::corpus
