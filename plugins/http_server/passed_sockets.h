#pragma once

#include "address.h"

#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::http_server {

/// LISTEN_PID, LISTEN_FDS and LISTEN_FDNAMES of the environment; see sd_listen_fds(3).
struct PassedSockets {
  std::string process;
  std::string count;
  std::string names;  // separated by ':'
};

/// The descriptors with this name, if they are for the process `self`.
[[nodiscard]] std::vector<int> descriptors_named(const PassedSockets& passed, std::string_view name,
                                                 int self);

/// The listening sockets with this name that the service manager passed to this process, with their
/// addresses. They stay open, but not in programs that this one starts. A sentence if one of them
/// is no TCP socket that listens.
[[nodiscard]] std::expected<std::vector<Address>, std::string> passed_sockets(
    std::string_view name);

}  // namespace quarry::http_server
