#pragma once

#include "base/error.h"
#include "corpus/snapshot/beneath.h"

#include <filesystem>
#include <string_view>

namespace quarry::corpus {

/// Keeps the index.scip in the root of a folder in the snapshot that is written into `directory`.
/// One that cannot be used is kept as its problem, see scip_problem(); one that has disappeared is
/// left out.
Status keep_scip(const Beneath& root, const std::filesystem::path& directory);

/// The same for its bytes.
Status keep_scip(std::string_view index, const std::filesystem::path& directory);

}  // namespace quarry::corpus
