#include "corpus/snapshot_state.h"
#include "corpus/trigram_index.h"

namespace quarry::corpus {

std::shared_ptr<const TrigramIndex> Snapshot::trigrams(std::uint32_t segment) const {
  return open_index(state_->trigrams[segment], *state_->segments[segment]);
}

}  // namespace quarry::corpus
