#pragma once

#include "base/error.h"
#include "base/json.h"
#include "engine/state.h"
#include "resources/library.h"

#include <filesystem>

namespace quarry::engine {

/// Path of the lock file of a configuration: beside its writable file.
std::filesystem::path lock_file_of(const config::Config& config);

/// The fields of a canonical resource that a lock file stores: those that determine its files.
Json lock_source(const State& state, const Json& resource);

/// True if the resource is read in place, so that it has no version to lock.
bool is_read_in_place(const State& state, const Json& resource);

/// Options of one preparation: with `freshness` or, if versions are locked, with the locked
/// version. CollectionError for a resource that the lock file lacks or has with another source.
Result<resources::PrepareOptions> prepare_options_for(const State& state, const Json& resource,
                                                      resources::Freshness freshness);

/// The error of an update while versions are locked.
[[nodiscard]] Error locked_update_error();

}  // namespace quarry::engine
