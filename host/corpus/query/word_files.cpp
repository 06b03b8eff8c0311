#include "corpus/query/word_files.h"

#include "corpus/index/trigram_index.h"

#include <numeric>

namespace quarry::corpus {

std::vector<FileId> files_with(const Snapshot& snapshot, std::uint32_t segment,
                               const WordFinder& finder) {
  if (const auto trigrams = snapshot.trigrams(segment)) return trigrams->candidates(finder.word());
  std::vector<FileId> all(snapshot.segments()[segment]->file_count());
  std::iota(all.begin(), all.end(), FileId{0});
  return all;
}

}  // namespace quarry::corpus
