#pragma once

#include "base/clock.h"
#include "base/json.h"
#include "engine/methods/method_table.h"
#include "services/tracer.h"

#include <string_view>

namespace quarry::engine {

/// Takes the members "traceparent" and "request" out of `params`, and begins the span of the call:
/// the result is `task` with it and the subject of its lines, and its reply ends the span. `tracer`
/// may be null: then there is no span. `arrived`: when the call began.
[[nodiscard]] Task with_span(Task task, std::string_view method, Json& params,
                             const services::Tracer* tracer, Clock::Steady arrived);

}  // namespace quarry::engine
