#pragma once

#include <string>

namespace quarry::services {

/// Names the calling thread by the first 15 bytes of `name`.
void name_this_thread(std::string name);
/// The same for a thread that blocks or computes; also makes its nice value higher by five than
/// that of the main thread, so that many busy threads do not slow responses of the I/O thread.
void become_worker(std::string name);

}  // namespace quarry::services
