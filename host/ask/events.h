#pragma once

#include "base/error.h"
#include "resources/library.h"

#include <quarry/events.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::ask {

// Writes the JSON of a question's events: one line each, UTF-8, in the format of the wire.

/// Start and end of a tool call, in milliseconds since 1970.
struct ToolTime {
  std::int64_t start = 0;
  std::int64_t end = 0;
};

std::string pending_state();
std::string running_state(std::string_view input, std::int64_t start);
std::string completed_state(std::string_view input, std::string_view output, std::string_view title,
                            std::string_view metadata, ToolTime time);
std::string error_state(std::string_view input, std::string_view error, ToolTime time);
std::string tool_updated(std::string_view id, std::string_view tool, std::string_view state);
/// An item of done.tools.
std::string tool_item(std::string_view id, std::string_view tool, std::string_view state);
/// An event of this type with the members of `item`, an item of the done event.
std::string typed_event(EventType type, std::string_view item);

/// Error of a resource that could not be used.
struct ResourceProblem {
  std::string resource;
  std::string message;
};

/// Outcome of preparing a question's resources.
struct PreparedResources {
  std::vector<std::string> names;  ///< of all resources, in the order of the request
  std::vector<resources::Prepared> ready;
  std::vector<ResourceProblem> failed;
  /// Names of resources without a fixed version, if the question's versions are fixed.
  std::set<std::string> unlocked;
};

struct Meta {
  std::string_view id;
  std::string_view question;
  std::string_view thread;
  std::size_t turns_left_out = 0;
  std::string_view provider;
  std::string_view model;
  const PreparedResources& resources;
};
std::string meta_event(const Meta& meta);
/// `snapshots` of the meta event: a JSON array.
std::string snapshots_json(const PreparedResources& resources);

std::string progress_event(std::string_view resource, const resources::Progress& progress);
/// A model will be asked again in `left`, rounded up to seconds, after it failed with `reason`.
std::string waiting_event(std::string_view reason, std::chrono::milliseconds left);
std::string error_event(const Error& error);
/// The members of the error event but its type, as a JSON object.
std::string error_json(const Error& error);

/// Milliseconds since 1970.
std::int64_t epoch_ms(std::chrono::system_clock::time_point time);

}  // namespace quarry::ask
