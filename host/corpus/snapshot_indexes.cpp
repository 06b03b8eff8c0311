#include "base/file.h"
#include "corpus/snapshot_state.h"
#include "corpus/trigram_index.h"
#include "corpus/word_index.h"

namespace quarry::corpus {
namespace {

namespace fs = std::filesystem;

/// The index of `segment`, mapped as soon as it is there. A damaged one is as good as none: the
/// tools scan instead, and build_indexes replaces it.
template <class Index>
std::shared_ptr<const Index> open_index(LazyIndex<Index>& lazy, const Segment& segment) {
  std::lock_guard lock(lazy.mutex);
  if (lazy.index) return lazy.index;
  auto index = Index::open(segment.directory() / Index::kFileName, segment);
  if (index) lazy.index = std::move(*index);
  return lazy.index;
}

/// Builds in a directory of its own, whose name says that it is not finished.
template <class Index>
Status build_index(const Segment& segment, Executor& executor, const std::stop_token& stop) {
  const auto workshop = make_temp_directory(segment.directory(), ".building-");
  if (!workshop) return workshop.error();
  Status status = Index::build(segment, *workshop / Index::kFileName, executor, stop);
  std::error_code error;
  if (status) {
    fs::rename(*workshop / Index::kFileName, segment.directory() / Index::kFileName, error);
    if (error) status = system_error(segment.directory().string(), error.value());
  }
  fs::remove_all(*workshop, error);
  return status;
}

}  // namespace

std::shared_ptr<const TrigramIndex> Snapshot::trigrams(std::uint32_t segment) const {
  return open_index(state_->trigrams[segment], *state_->segments[segment]);
}

std::shared_ptr<const WordIndex> Snapshot::words(std::uint32_t segment) const {
  return open_index(state_->words[segment], *state_->segments[segment]);
}

Status build_indexes(const Snapshot& snapshot, Executor& executor, std::stop_token stop) {
  for (std::uint32_t i = 0; i < snapshot.segments().size(); ++i) {
    const Segment& segment = *snapshot.segments()[i];
    Status status;
    if (segment.packed_text().size() >= TrigramIndex::kMinimumText && !snapshot.trigrams(i)) {
      status = build_index<TrigramIndex>(segment, executor, stop);
    }
    if (status && !snapshot.words(i)) status = build_index<WordIndex>(segment, executor, stop);
    if (!status) return status;
  }
  return {};
}

}  // namespace quarry::corpus
