#pragma once

#include "resource-archive/forge.h"
#include "resource-archive/plan.h"

#include <quarry/resource.hpp>

#include <optional>
#include <string>
#include <vector>

namespace quarry::resource_archive {

/// Adds every file of the archive `file` that `source` asks for. The value: notes about the
/// archive. A failure with an empty message: the tree refused, and the host writes it.
Outcome<std::vector<std::string>> unpack(const Call& call, const Source& source,
                                         const std::string& file, const Limits& limits,
                                         const std::optional<Pages>& pages, Tree& tree);

}  // namespace quarry::resource_archive
