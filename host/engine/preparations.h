#pragma once

#include "ask/wanted_resource.h"
#include "base/clock.h"
#include "base/error.h"
#include "resources/library.h"
#include "services/tracer.h"

#include <functional>
#include <stop_token>
#include <vector>

namespace quarry::engine {

/// Receives the outcomes in the order of the request.
using OnAllPrepared = std::function<void(std::vector<Result<resources::Prepared>>)>;

/// Prepares resources outside a question, all at once. Never blocks; `done` is called once, on
/// any thread, perhaps before this returns. `progress` may be empty. Spans beneath `trace` record
/// it.
void prepare_all(resources::Library& library, const Clock& clock,
                 const std::vector<ask::WantedResource>& wanted, const services::SpanParent& trace,
                 const std::stop_token& stop, const ask::OnProgressEvent& progress,
                 OnAllPrepared done);

}  // namespace quarry::engine
