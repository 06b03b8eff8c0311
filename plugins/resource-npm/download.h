#pragma once

#include "resource-npm/integrity.h"
#include "resource-npm/registry_failure.h"

#include <quarry/http.hpp>

#include <cstdint>
#include <filesystem>
#include <vector>

namespace quarry::resource_npm {

/// Streams what `request` asks for to the new file `path`, hashing it on its way, and fails unless
/// it is what each of `integrities` (at least one) says. Nothing of it has been read by then. A
/// failure may leave the file behind. [worker]
Outcome<std::uint64_t> download(const Host& host, const Call& call, const HttpRequest& request,
                                const Asked& asked, const std::vector<Integrity>& integrities,
                                const std::filesystem::path& path);

/// The largest tarball that is taken.
inline constexpr std::uint64_t kMostPacked = std::uint64_t{1} << 30;

}  // namespace quarry::resource_npm
