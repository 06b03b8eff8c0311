#pragma once

#include <string>

namespace quarry::services {

/// Names the calling thread by the first 15 bytes of `name`.
void name_this_thread(std::string name);
/// The same for a thread that blocks or computes: five steps nicer than the I/O thread, so that
/// many busy ones never slow an answer to a client.
void become_worker(std::string name);

}  // namespace quarry::services
