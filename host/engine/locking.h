#pragma once

#include "base/error.h"
#include "base/json.h"
#include "engine/state.h"
#include "resources/library.h"

#include <filesystem>

namespace quarry::engine {

/// Where the lock file of a configuration stands: beside the file that edits go to.
std::filesystem::path lock_file_of(const config::Config& config);

/// What stands of a canonical resource in a lock file: what decides which files it has.
Json lock_source(const State& state, const Json& resource);

/// Whether the resources of a type are read where they are, so that there is nothing to lock.
bool is_read_in_place(const State& state, const Json& resource);

/// How a resource is wanted: as `freshness` says or, when the versions are locked, as they are. A
/// CollectionError says which resource the lock file does not fix, and what moved.
Result<resources::PrepareOptions> prepare_options_for(const State& state, const Json& resource,
                                                      resources::Freshness freshness);

}  // namespace quarry::engine
