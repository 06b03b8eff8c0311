#pragma once

#include <quarry/outcome.hpp>
#include <quarry/resource.hpp>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::resource_npm {

/// Limits of an unpacked tarball. Beyond one the fetch fails and names it.
struct TarballLimits {
  std::uint64_t unpacked_bytes = std::uint64_t{4} << 30;
  /// Maximum ratio to the packed size, for content of more than `always_bytes`.
  std::uint64_t ratio = 200;
  std::uint64_t always_bytes = std::uint64_t{64} << 20;
  std::uint64_t entries = 500'000;
  /// A longer or deeper path is left out, with a note.
  std::size_t path_bytes = 1024;
  std::size_t depth = 64;
};

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
/// truncated or not a tar. `bytes` is untrusted; check its integrity before. [worker]
Outcome<Tarball> unpack(std::string_view bytes, const TarballLimits& limits, const Call& call,
                        Tree& tree);

}  // namespace quarry::resource_npm
