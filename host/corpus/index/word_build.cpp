#include "corpus/index/word_build.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <queue>
#include <utility>
#include <vector>

namespace quarry::corpus {
namespace {

constexpr std::size_t kSmallestChunk = 1u << 20;
constexpr std::size_t kLargestChunk = 16u << 20;
constexpr std::size_t kChunksWanted = 16;
constexpr std::size_t kMergeParts = 16;

using FileRange = std::pair<std::size_t, std::size_t>;

/// Divides the files into chunks by their sizes alone, so that the number of threads does not
/// change the result.
std::vector<FileRange> divide(std::span<const Document> documents) {
  std::size_t total = 0;
  for (const Document& document : documents) total += document.text.size();
  const std::size_t wanted = std::clamp(total / kChunksWanted, kSmallestChunk, kLargestChunk);
  std::vector<FileRange> ranges;
  std::size_t begin = 0;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    bytes += documents[i].text.size();
    if (bytes < wanted) continue;
    ranges.emplace_back(begin, i + 1);
    begin = i + 1;
    bytes = 0;
  }
  if (begin < documents.size()) ranges.emplace_back(begin, documents.size());
  return ranges;
}

/// Terms of all chunks within a range of names, merged.
struct MergedPart {
  std::vector<WordBlock> blocks;  // with offsets within this part
  std::string dictionary;
  std::string postings;
};

/// The terms of a chunk that are still to be merged.
struct ChunkTerms {
  const WordChunk* chunk;
  PassageId base;  // number of the chunk's first passage
  std::size_t at;
  std::size_t end;

  [[nodiscard]] const ChunkTerm& term() const { return chunk->terms[at]; }
};

class PartWriter {
 public:
  /// Appends the postings of one term from the chunks that have it, in order of chunk.
  void add(std::span<const ChunkTerms> sources) {
    const std::string_view name = sources.front().term().key.name();
    const std::size_t begin = part_.postings.size();
    std::uint64_t next = 0;
    std::uint64_t passages = 0;
    std::uint64_t files = 0;
    for (const ChunkTerms& source : sources) {
      const ChunkTerm& term = source.term();
      append_posting(part_.postings, source.base + term.first - next, term.first_count);
      part_.postings.append(source.chunk->postings, term.begin, term.end - term.begin);
      next = std::uint64_t{source.base} + term.last + 1;
      passages += term.passages;
      files += term.files;
    }
    write_name(name, begin);
    append_varint(part_.dictionary, passages);
    append_varint(part_.dictionary, files);
    append_varint(part_.dictionary, part_.postings.size() - begin);
  }
  MergedPart finish() { return std::move(part_); }

 private:
  void write_name(std::string_view name, std::size_t postings) {
    std::size_t shared = 0;
    if (terms_++ % kTermsPerBlock == 0) {
      part_.blocks.push_back({part_.dictionary.size(), postings});
    } else {
      const auto differ = std::ranges::mismatch(previous_, name);
      shared = static_cast<std::size_t>(differ.in1 - previous_.begin());
    }
    part_.dictionary += static_cast<char>(shared);
    part_.dictionary += static_cast<char>(name.size() - shared);
    part_.dictionary += name.substr(shared);
    previous_ = name;
  }

  MergedPart part_;
  std::size_t terms_ = 0;
  std::string_view previous_;
};

MergedPart merge(std::vector<ChunkTerms> sources) {
  // The smallest name first; of equal names the earlier chunk.
  const auto later = [&](std::size_t a, std::size_t b) {
    const auto order = sources[a].term().key <=> sources[b].term().key;
    return order != 0 ? order > 0 : a > b;
  };
  std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> heap(later);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i].at < sources[i].end) heap.push(i);
  }
  PartWriter writer;
  std::vector<ChunkTerms> same;
  std::vector<std::size_t> taken;
  while (!heap.empty()) {
    const NameKey key = sources[heap.top()].term().key;
    same.clear();
    taken.clear();
    while (!heap.empty() && sources[heap.top()].term().key == key) {
      taken.push_back(heap.top());
      same.push_back(sources[heap.top()]);
      heap.pop();
    }
    writer.add(same);
    for (const std::size_t i : taken) {
      if (++sources[i].at < sources[i].end) heap.push(i);
    }
  }
  return writer.finish();
}

/// Names that divide the terms into parts of about equal size.
std::vector<NameKey> splitters(std::span<const WordChunk> chunks) {
  const WordChunk& largest =
      *std::ranges::max_element(chunks, {}, [](const WordChunk& c) { return c.terms.size(); });
  std::vector<NameKey> names;
  for (std::size_t i = 1; i < kMergeParts; ++i) {
    const std::size_t at = largest.terms.size() * i / kMergeParts;
    if (at > 0 && (names.empty() || names.back() != largest.terms[at].key)) {
      names.push_back(largest.terms[at].key);
    }
  }
  return names;
}

std::size_t first_not_below(const WordChunk& chunk, const NameKey& name) {
  const auto at = std::ranges::lower_bound(chunk.terms, name, {}, &ChunkTerm::key);
  return static_cast<std::size_t>(at - chunk.terms.begin());
}

std::vector<MergedPart> merge_all(std::span<const WordChunk> chunks, Executor& executor) {
  if (chunks.empty()) return {};
  const std::vector<NameKey> names = splitters(chunks);
  std::vector<MergedPart> parts(names.size() + 1);
  parallel_for(executor, parts.size(), [&](std::size_t part) {
    std::vector<ChunkTerms> sources;
    PassageId base = 0;
    for (const WordChunk& chunk : chunks) {
      const std::size_t begin = part == 0 ? 0 : first_not_below(chunk, names[part - 1]);
      const std::size_t end =
          part == names.size() ? chunk.terms.size() : first_not_below(chunk, names[part]);
      sources.push_back({&chunk, base, begin, end});
      base += static_cast<PassageId>(chunk.passages.size());
    }
    parts[part] = merge(std::move(sources));
  });
  return parts;
}

class WordTableWriter {
 public:
  WordTableWriter(std::span<const Document> documents, std::span<const WordChunk> chunks)
      : chunks_(chunks), table_(kWordTable) {
    WordShape shape{documents.size(), 0, 0, 0};
    for (const Document& document : documents) shape.text_bytes += document.text.size();
    for (const WordChunk& chunk : chunks) {
      shape.passages += chunk.passages.size();
      for (const ChunkFile& file : chunk.files) shape.total_length += file.length;
    }
    table_.append(std::span<const WordShape>(&shape, 1));
  }

  template <class T>
  void passages(T (*value)(const ChunkPassage&)) {
    column<T>([&](const WordChunk& chunk, PassageId, auto emit) {
      for (const ChunkPassage& passage : chunk.passages) emit(value(passage));
    });
  }

  void files() {
    column<std::uint32_t>(
        [](const WordChunk& chunk, PassageId base, auto emit) {
          for (const ChunkFile& file : chunk.files) emit(base + file.first);
        },
        /*with_end=*/true);
    column<std::uint32_t>([](const WordChunk& chunk, PassageId, auto emit) {
      for (const ChunkFile& file : chunk.files) emit(file.length);
    });
    column<std::uint8_t>([](const WordChunk& chunk, PassageId, auto emit) {
      for (const ChunkFile& file : chunk.files) emit(file.traits);
    });
  }

  void terms(std::vector<MergedPart> parts) {
    WordBlock base{0, 0};
    for (const MergedPart& part : parts) {
      for (const WordBlock& block : part.blocks) {
        put(WordBlock{base.dictionary + block.dictionary, base.postings + block.postings});
      }
      base.dictionary += part.dictionary.size();
      base.postings += part.postings.size();
    }
    table_.end_array();
    for (const MergedPart& part : parts) table_.add_bytes(part.dictionary);
    table_.end_array();
    table_.reserve(base.postings);
    for (MergedPart& part : parts) {
      table_.add_bytes(part.postings);
      std::exchange(part.postings, {});  // {} alone keeps its memory
    }
    table_.end_array();
  }

  std::string finish() && { return std::move(table_).finish(); }

 private:
  template <class T, class Each>
  void column(Each each, bool with_end = false) {
    PassageId base = 0;
    for (const WordChunk& chunk : chunks_) {
      each(chunk, base, [&](T value) { put(value); });
      base += static_cast<PassageId>(chunk.passages.size());
    }
    if (with_end) put(static_cast<T>(base));
    table_.end_array();
  }
  template <class T>
  void put(const T& value) {
    table_.add_bytes({reinterpret_cast<const char*>(&value), sizeof value});
  }

  std::span<const WordChunk> chunks_;
  TableWriter table_;
};

std::string write_table(std::span<const Document> documents, std::span<const WordChunk> chunks,
                        std::vector<MergedPart> parts) {
  WordTableWriter out(documents, chunks);
  out.passages<std::uint32_t>([](const ChunkPassage& p) { return p.file; });
  out.passages<std::uint32_t>([](const ChunkPassage& p) { return p.span.begin; });
  out.passages<std::uint32_t>([](const ChunkPassage& p) { return p.span.line; });
  out.passages<std::uint32_t>([](const ChunkPassage& p) { return p.span.heading; });
  out.passages<std::uint32_t>([](const ChunkPassage& p) { return p.span.context; });
  out.passages<std::uint16_t>([](const ChunkPassage& p) { return p.length; });
  out.files();
  out.terms(std::move(parts));
  return std::move(out).finish();
}

}  // namespace

Result<std::string> build_word_table(std::span<const Document> documents, const TermFilter* filter,
                                     Executor& executor, std::stop_token stop) {
  const std::vector<FileRange> ranges = divide(documents);
  std::vector<WordChunk> chunks(ranges.size());
  parallel_for(executor, ranges.size(), [&](std::size_t i) {
    const auto [begin, end] = ranges[i];
    chunks[i] = index_chunk(documents.subspan(begin, end - begin), static_cast<FileId>(begin),
                            filter, stop);
  });
  if (stop.stop_requested()) return Error{Code::kCancelled, "indexing was cancelled"};
  return write_table(documents, chunks, merge_all(chunks, executor));
}

}  // namespace quarry::corpus
