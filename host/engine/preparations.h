#pragma once

#include "ask/question.h"
#include "base/clock.h"
#include "base/error.h"
#include "resources/library.h"

#include <functional>
#include <stop_token>
#include <string_view>
#include <vector>

namespace quarry::engine {

/// Receives the progress of one resource as a `resource.progress` event. [any]
using OnProgress = std::function<void(std::string_view json)>;

/// Receives the outcomes in the order of the request.
using OnAllPrepared = std::function<void(std::vector<Result<resources::Prepared>>)>;

/// Prepares resources outside a question, all at once. Never blocks; `done` is called once, on
/// any thread, perhaps before this returns. `progress` may be empty.
void prepare_all(resources::Library& library, const Clock& clock,
                 const std::vector<ask::WantedResource>& wanted, const std::stop_token& stop,
                 const OnProgress& progress, OnAllPrepared done);

}  // namespace quarry::engine
