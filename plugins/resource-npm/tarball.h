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

/// What a tarball may unpack to. Beyond it the fetch fails and names the limit.
struct TarballLimits {
  std::uint64_t unpacked_bytes = std::uint64_t{4} << 30;
  /// Times the packed size, of what unpacks to more than `always_bytes`.
  std::uint64_t ratio = 200;
  std::uint64_t always_bytes = std::uint64_t{64} << 20;
  std::uint64_t entries = 500'000;
  /// A path that is longer or deeper is left out, with a note.
  std::size_t path_bytes = 1024;
  std::size_t depth = 64;
};

/// What a tarball held beside the files that the tree has now.
struct Tarball {
  std::uint64_t files = 0;
  std::string package_json;        ///< empty when there is none, or a very large one
  std::string readme;              ///< of the root; empty when there is none
  std::set<std::string> names;     ///< of the root, in lower case
  std::vector<std::string> notes;  ///< what was left out
};

/// Unpacks a tarball of npm as npm does: without the first part of each path. Only regular files
/// come into the tree; symbolic links are listed, hard links left out. Fails on what no package
/// needs: devices, pipes, absolute paths and such with "..", an archive that is cut or no tar.
/// Nothing of `bytes` is trusted; check its integrity before. [worker]
Outcome<Tarball> unpack(std::string_view bytes, const TarballLimits& limits, const Call& call,
                        Tree& tree);

}  // namespace quarry::resource_npm
