#pragma once

#include "corpus/query/ranking.h"

#include <span>
#include <vector>

namespace quarry::corpus {

/// Raises the 50 best passages by the number of the ten best files that import theirs, to the power
/// `imported`: code that is described in other words is found in what its users share. Leaves the
/// passages unsorted.
void raise_imported(std::span<const Shard> shards, double imported,
                    std::vector<RankedPassage>& found);

}  // namespace quarry::corpus
