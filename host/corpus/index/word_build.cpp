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
  std::uint64_t terms = 0;
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
    const std::string_view name = sources.front().term().name;
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
    if (part_.terms++ % kTermsPerBlock == 0) {
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
  std::string_view previous_;
};

MergedPart merge(std::vector<ChunkTerms> sources) {
  // The smallest name first; of equal names the earlier chunk.
  const auto later = [&](std::size_t a, std::size_t b) {
    const auto order = sources[a].term().name <=> sources[b].term().name;
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
    const std::string_view name = sources[heap.top()].term().name;
    same.clear();
    taken.clear();
    while (!heap.empty() && sources[heap.top()].term().name == name) {
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
std::vector<std::string_view> splitters(std::span<const WordChunk> chunks) {
  const WordChunk& largest =
      *std::ranges::max_element(chunks, {}, [](const WordChunk& c) { return c.terms.size(); });
  std::vector<std::string_view> names;
  for (std::size_t i = 1; i < kMergeParts; ++i) {
    const std::size_t at = largest.terms.size() * i / kMergeParts;
    if (at > 0 && (names.empty() || names.back() != largest.terms[at].name)) {
      names.push_back(largest.terms[at].name);
    }
  }
  return names;
}

std::size_t first_not_below(const WordChunk& chunk, std::string_view name) {
  const auto at = std::ranges::lower_bound(chunk.terms, name, {}, &ChunkTerm::name);
  return static_cast<std::size_t>(at - chunk.terms.begin());
}

std::vector<MergedPart> merge_all(std::span<const WordChunk> chunks, Executor& executor) {
  if (chunks.empty()) return {};
  const std::vector<std::string_view> names = splitters(chunks);
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

/// Writes the file: header, sections in order, then the header again with sizes and checksum.
class WordTableWriter {
 public:
  WordTableWriter() : out_(sizeof(WordHeader), '\0') { header_.magic = kWordMagic; }

  template <class T, class Each>
  void column(WordSection section, std::span<const WordChunk> chunks, Each each) {
    const std::size_t begin = out_.size();
    PassageId base = 0;
    for (const WordChunk& chunk : chunks) {
      each(chunk, base, [&](T value) { put(value); });
      base += static_cast<PassageId>(chunk.passages.size());
    }
    end_section(section, begin);
  }

  template <class T>
  void passages(WordSection section, std::span<const WordChunk> chunks,
                T (*value)(const ChunkPassage&)) {
    column<T>(section, chunks, [&](const WordChunk& chunk, PassageId, auto emit) {
      for (const ChunkPassage& passage : chunk.passages) emit(value(passage));
    });
  }

  void files(std::span<const WordChunk> chunks) {
    const std::size_t begin = out_.size();
    for (const WordChunk& chunk : chunks) {
      for (const ChunkFile& file : chunk.files) {
        put<std::uint32_t>(static_cast<std::uint32_t>(header_.passage_count) + file.first);
        header_.total_length += file.length;
      }
      header_.passage_count += chunk.passages.size();
      header_.file_count += chunk.files.size();
    }
    put(static_cast<std::uint32_t>(header_.passage_count));
    end_section(WordSection::kFileFirst, begin);
    column<std::uint32_t>(WordSection::kFileLength, chunks,
                          [](const WordChunk& chunk, PassageId, auto emit) {
                            for (const ChunkFile& file : chunk.files) emit(file.length);
                          });
    column<std::uint8_t>(WordSection::kFileTraits, chunks,
                         [](const WordChunk& chunk, PassageId, auto emit) {
                           for (const ChunkFile& file : chunk.files) emit(file.traits);
                         });
  }

  void terms(std::vector<MergedPart> parts) {
    std::size_t begin = out_.size();
    WordBlock base{0, 0};
    for (const MergedPart& part : parts) {
      for (const WordBlock& block : part.blocks) {
        put(WordBlock{base.dictionary + block.dictionary, base.postings + block.postings});
      }
      base.dictionary += part.dictionary.size();
      base.postings += part.postings.size();
      header_.term_count += part.terms;
    }
    end_section(WordSection::kBlocks, begin);
    begin = out_.size();
    const std::size_t blocks = (base.postings + kPostingBlockBytes - 1) / kPostingBlockBytes;
    out_.append(blocks * sizeof(std::uint64_t), '\0');  // known once the postings are there
    end_section(WordSection::kPostingDigests, begin);
    const std::size_t digests = begin;
    begin = out_.size();
    for (const MergedPart& part : parts) out_ += part.dictionary;
    end_section(WordSection::kDictionary, begin);
    begin = out_.size();
    out_.reserve(out_.size() + base.postings);
    for (MergedPart& part : parts) {
      out_ += part.postings;
      std::exchange(part.postings, {});  // {} alone keeps its memory
    }
    end_section(WordSection::kPostings, begin);
    const auto values = block_digests(std::string_view(out_).substr(begin), kPostingBlockBytes);
    std::ranges::copy(
        std::as_bytes(std::span(values)),
        std::as_writable_bytes(std::span(out_)).begin() + static_cast<std::ptrdiff_t>(digests));
  }

  std::string finish() {
    header_.bytes = out_.size();
    std::memcpy(out_.data(), &header_, sizeof header_);
    const std::size_t postings = header_.sizes[static_cast<std::size_t>(WordSection::kPostings)];
    const std::string_view head = std::string_view(out_).substr(0, out_.size() - postings);
    header_.checksum = digest(head.substr(kCheckedFrom));
    std::memcpy(out_.data(), &header_, sizeof header_);
    return std::move(out_);
  }

 private:
  template <class T>
  void put(const T& value) {
    out_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void end_section(WordSection section, std::size_t begin) {
    header_.sizes[static_cast<std::size_t>(section)] = out_.size() - begin;
  }

  WordHeader header_{};
  std::string out_;
};

std::string write_table(std::span<const WordChunk> chunks, std::vector<MergedPart> parts) {
  using enum WordSection;
  WordTableWriter out;
  out.passages<std::uint32_t>(kPassageFile, chunks, [](const ChunkPassage& p) { return p.file; });
  out.passages<std::uint32_t>(kPassageOffset, chunks,
                              [](const ChunkPassage& p) { return p.span.begin; });
  out.passages<std::uint32_t>(kPassageLine, chunks,
                              [](const ChunkPassage& p) { return p.span.line; });
  out.passages<std::uint32_t>(kPassageHeading, chunks,
                              [](const ChunkPassage& p) { return p.span.heading; });
  out.passages<std::uint32_t>(kPassageContext, chunks,
                              [](const ChunkPassage& p) { return p.span.context; });
  out.passages<std::uint16_t>(kPassageLength, chunks,
                              [](const ChunkPassage& p) { return p.length; });
  out.files(chunks);
  out.terms(std::move(parts));
  return out.finish();
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
  return write_table(chunks, merge_all(chunks, executor));
}

}  // namespace quarry::corpus
