#pragma once

#include "corpus/snapshot/pack.h"
#include "corpus/snapshot/walk.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace quarry::corpus {

/// What one directory lacks in the state.
struct LeftOutHere {
  std::uint64_t paths = 0;         ///< too long or too deep
  std::uint32_t secrets = 0;       ///< by their names
  std::vector<IgnoredBy> ignored;  ///< by rules of ignore files

  [[nodiscard]] bool any() const { return paths > 0 || secrets > 0 || !ignored.empty(); }
};

struct TreeState::Entries {
  std::vector<TreeEntry> list;                     ///< in ascending order of path bytes
  std::vector<OpenDirectory> directories;          ///< in ascending order of path bytes
  std::map<std::string, LeftOutHere> left_out_in;  ///< directories in which something is
  std::string id;
  // The sums of left_out_in:
  std::uint64_t left_out = 0;
  std::uint32_t secrets = 0;
  std::vector<IgnoredBy> ignored;  ///< see TreeState::ignored()
  bool skip_secrets = true;
  Signature scip;  ///< of a regular file kScipSource in the root
};

}  // namespace quarry::corpus
