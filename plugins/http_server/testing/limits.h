#pragma once

#include "http_server/options.h"

namespace quarry::http_server::testing {

/// Limits whose times no test reaches: a server that waits for one of them where it should not
/// hangs, and a client on a busy machine is not cut.
inline Limits patient_limits() {
  Limits limits;
  limits.header_time = limits.body_time = limits.idle_time = limits.write_time =
      std::chrono::hours(1);
  return limits;
}

}  // namespace quarry::http_server::testing
