#pragma once

#include <quarry/resource.h>

namespace quarry::plugins {

/// Has the host's tree of a fetch forget everything that was added, so that the fetch can be made
/// again. False if it cannot, or if `tree` is none of this process. [any thread]
bool restart_tree(const quarry_tree& tree);

}  // namespace quarry::plugins
