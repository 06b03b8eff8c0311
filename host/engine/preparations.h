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

/// Told how far one resource is, as a `resource.progress` event. [any thread]
using OnProgress = std::function<void(std::string_view json)>;

/// The outcomes in the order of what was wanted.
using OnAllPrepared = std::function<void(std::vector<Result<resources::Prepared>>)>;

/// Makes resources ready outside a question, all at once. Never blocks; `done` is called once, on
/// any thread, perhaps before this returns. `progress` may be empty.
void prepare_all(resources::Library& library, const Clock& clock,
                 const std::vector<ask::WantedResource>& wanted, const std::stop_token& stop,
                 const OnProgress& progress, OnAllPrepared done);

}  // namespace quarry::engine
