#pragma once

#include "package_source/file.h"
#include "resource-archive/forge.h"

#include <quarry/resource.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace quarry::resource_archive {

struct Limits {
  std::uint64_t download = std::uint64_t{2} << 30U;
  std::uint64_t unpacked = std::uint64_t{16} << 30U;
};

/// Adds every file of the archive that `source` asks for. The value: notes about the archive.
Outcome<std::vector<std::string>> unpack(const Call& call, const Source& source,
                                         const package_source::File& file, const Limits& limits,
                                         const std::optional<Pages>& pages, Tree& tree);

/// The commit that "git archive" notes in the archives it makes, 40 or 64 digits; else empty.
std::string commit_of(const Call& call, const package_source::File& file);

}  // namespace quarry::resource_archive
