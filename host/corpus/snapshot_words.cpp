#include "corpus/snapshot_state.h"
#include "corpus/word_index.h"

namespace quarry::corpus {

std::shared_ptr<const WordIndex> Snapshot::words(std::uint32_t segment) const {
  return open_index(state_->words[segment], *state_->segments[segment]);
}

}  // namespace quarry::corpus
