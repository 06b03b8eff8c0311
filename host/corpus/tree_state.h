#pragma once

#include "corpus/pack.h"
#include "corpus/walk.h"

#include <string>
#include <vector>

namespace quarry::corpus {

struct TreeState::Entries {
  std::vector<TreeEntry> list;  ///< in ascending order of path bytes
  std::string id;
};

}  // namespace quarry::corpus
