#pragma once

#include "base/clock.h"
#include "base/json.h"
#include "resources/library.h"
#include "services/tracer.h"

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace quarry::ask {

/// A resource that a question or a call reads.
struct WantedResource {
  Json resource;  ///< canonical, with its `name`
  resources::PrepareOptions prepare_options;
  /// Set if the owner of the host shares the resource with the caller: receives the causes of
  /// failures, which the caller is not told. [any]
  std::function<void(std::string_view cause)> tell_owner = nullptr;
  std::string plugin = {};  ///< id of the plugin that reads it; empty = the caller is not told
};

/// Receives `resource.progress` events. [any]
using OnProgressEvent = std::function<void(std::string_view json)>;

/// Library::prepare with progress as events, at most ten a second, and the outcome as the last one.
/// `progress` may be empty. A span beneath `trace` records it.
///
/// Of a shared resource the caller gets the files, their version and their permalinks. What could
/// name folders, hosts or accounts of the owner is replaced: fields other than `specialNotes`, the
/// version for a person, notes, messages of progress, the reason for old files, causes of failures.
void prepare(resources::Library& library, const Clock& clock, const WantedResource& wanted,
             const services::SpanParent& trace, std::stop_token stop, OnProgressEvent progress,
             resources::Library::OnPrepared done);

}  // namespace quarry::ask
