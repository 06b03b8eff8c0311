#pragma once

#include "corpus/index/name_key.h"
#include "corpus/index/word_interner.h"
#include "corpus/index/word_table.h"
#include "corpus/segment/segment.h"
#include "corpus/text/passages.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace quarry::corpus {

/// One file to be indexed; the views must outlive building the index.
struct Document {
  std::string_view path;
  std::string_view text;
};

/// The terms an index is limited to (a scan for one question); null = all.
using TermFilter = std::unordered_set<std::string>;

/// One term's postings within a chunk: [first, last] passages (numbers within the chunk), encoded
/// from the second on.
struct ChunkTerm {
  NameKey key;
  std::uint32_t passages;
  std::uint32_t files;
  PassageId first;
  PassageId last;
  std::uint8_t first_count;
  std::uint32_t begin;  ///< of the encoded rest in WordChunk::postings
  std::uint32_t end;
};

struct ChunkPassage {
  PassageSpan span;
  FileId file;  ///< number within the index
  std::uint16_t length;
};

struct ChunkFile {
  PassageId first;
  std::uint32_t length;
  std::uint8_t traits;
};

/// The index of consecutive files, before chunks are merged.
struct WordChunk {
  std::vector<ChunkFile> files;
  std::vector<ChunkPassage> passages;
  std::vector<ChunkTerm> terms;  ///< ascending by key
  std::string postings;
  std::deque<std::string> names;  ///< bytes of term names that are not part of a document
};

/// Appends one posting: the distance from the passage after the last one, and the term's count.
void append_posting(std::string& out, std::uint64_t distance, std::uint8_t count);

/// Indexes `documents`, the first of which has number `first_file`. An incomplete chunk if stopped.
[[nodiscard]] WordChunk index_chunk(std::span<const Document> documents, FileId first_file,
                                    const TermFilter* filter, std::stop_token stop);

}  // namespace quarry::corpus
