#pragma once

#include "base/error.h"
#include "corpus/snapshot/beneath.h"
#include "corpus/snapshot/snapshot_state.h"

#include <filesystem>
#include <string_view>

namespace quarry::corpus {

/// Keeps the index.scip in the root of a folder, of this signature, in the snapshot that is written
/// into `directory`. It is not read again if `previous` (may be null) has it. One that cannot be
/// used is kept as its problem, see scip_problem(); one that has disappeared is left out.
Status keep_scip(const Beneath& root, const Signature& signature, const Snapshot* previous,
                 const std::filesystem::path& directory);

/// The same for the bytes of a file that was fetched.
Status keep_scip(std::string_view index, const std::filesystem::path& directory);

}  // namespace quarry::corpus
