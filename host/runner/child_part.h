#pragma once

#include <quarry/abi.h>

#include <cstdint>

namespace quarry::runner {

/// A part of a call in the runner, as quarry_host.open_call describes it; without `parent`, a call
/// of a job or a loop, with which no service of the host can be used. Null if `parent` was not made
/// here. Closed by close_part. [any thread]
const quarry_call* open_part(const quarry_call* parent, std::int64_t timeout_ms,
                             quarry_status (*state)(void*), void* context);
void close_part(const quarry_call* call);

/// The call of the host that `call` is, or is a part of; null for a job's, and for one that was not
/// made here. [any thread]
const quarry_call* root_of(const quarry_call* call);

}  // namespace quarry::runner
