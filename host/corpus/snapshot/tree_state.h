#pragma once

#include "corpus/snapshot/pack.h"
#include "corpus/snapshot/walk.h"

#include <cstdint>
#include <string>
#include <vector>

namespace quarry::corpus {

struct TreeState::Entries {
  std::vector<TreeEntry> list;  ///< in ascending order of path bytes
  std::string id;
  std::uint64_t left_out = 0;
  std::uint32_t secrets = 0;
  std::vector<IgnoredBy> ignored;  ///< see TreeState::ignored()
  bool skip_secrets = true;
  Signature scip;  ///< of a regular file kScipSource in the root
};

}  // namespace quarry::corpus
