#pragma once

#include "base/error.h"
#include "corpus/snapshot/pack.h"

#include <filesystem>
#include <stop_token>
#include <vector>

namespace quarry::corpus {

/// Examples of what a rule left out, at most.
inline constexpr std::size_t kMostExamples = 5;

/// What the rules leave out of the folder `root`, those of the host included, the rule that leaves
/// out most first. What is in a directory that is left out is not counted. kCancelled, or an error
/// if the folder cannot be read.
Result<std::vector<IgnoredBy>> left_out_of(const std::filesystem::path& root,
                                           const PackRules& rules, const std::stop_token& stop);

}  // namespace quarry::corpus
