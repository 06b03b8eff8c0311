#pragma once

#include "package_source/file.h"
#include "package_source/unpack_budget.h"

#include <quarry/outcome.hpp>
#include <quarry/resource.hpp>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace quarry::resource_npm {

/// Limits of an unpacked tarball. Beyond one the fetch fails and names it.
inline constexpr package_source::UnpackLimits kTarballLimits{.entries = 500'000,
                                                             .bytes = std::uint64_t{4} << 30};

/// Content of a tarball besides the files in the tree.
struct Tarball {
  std::uint64_t files = 0;
  std::string package_json;        ///< empty when there is none, or a very large one
  std::string readme;              ///< of the root; empty when there is none
  std::set<std::string> names;     ///< of the root, in lower case
  std::vector<std::string> notes;  ///< on omitted entries
};

/// Unpacks a tarball of npm as npm does: without the first part of each path. Only regular files
/// are added to the tree; symbolic links are listed, hard links left out. Fails on entries that no
/// package needs: devices, pipes, absolute paths and paths with "..", and on an archive that is
/// truncated or not a tar. `file` is untrusted; check its integrity before. [worker]
Outcome<Tarball> unpack(const package_source::File& file,
                        const package_source::UnpackLimits& limits, const Call& call, Tree& tree);

}  // namespace quarry::resource_npm
