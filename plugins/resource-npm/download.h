#pragma once

#include "resource-npm/integrity.h"
#include "resource-npm/registry_failure.h"

#include <quarry/http.hpp>

#include <cstdint>
#include <filesystem>
#include <vector>

namespace quarry::resource_npm {

/// Streams the response to `request` to the new file `path`, hashing it on the way, and fails
/// unless it matches each of `integrities` (at least one). Nothing of it is parsed before. A
/// failure may leave the file behind. [worker]
Outcome<std::uint64_t> download(const Host& host, const Call& call, const HttpRequest& request,
                                const Asked& asked, const std::vector<Integrity>& integrities,
                                const std::filesystem::path& path);

/// Bytes of the largest accepted tarball.
inline constexpr std::uint64_t kMostPacked = std::uint64_t{1} << 30;

}  // namespace quarry::resource_npm
