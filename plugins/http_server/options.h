#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace quarry::http_server {

/// Bytes queued for a client above which the server stops reading from it and dispatching its
/// requests.
inline constexpr std::size_t kMostUnsent = 64 * 1024;

/// Limits of a server, above which it refuses requests. Sizes in bytes.
struct Limits {
  std::size_t header_bytes = 16 * 1024;  // request line and fields; also one chunk's own lines
  std::size_t header_count = 100;
  std::size_t body_bytes = 1024 * 1024;
  std::size_t bodies_bytes = 64 * 1024 * 1024;    // of bodies held, over all connections
  std::size_t connections = 10'000;               // over all loops
  std::chrono::milliseconds header_time{10'000};  // from a request's first byte to its last field
  std::chrono::milliseconds body_time{30'000};    // from its last field to the body's last byte
  std::chrono::milliseconds idle_time{75'000};    // without any byte of a request
  std::chrono::milliseconds write_time{30'000};   // in which the client accepts no bytes
  std::chrono::milliseconds linger_time{2000};    // in which bytes after a refusal are still read
  // Once the server stops: for a request on its way, of a client that could connect.
  std::chrono::milliseconds first_request_time{1000};
  // Before the next request of a connection whose last four or more requests were rejected.
  std::chrono::milliseconds rejection_pause{1000};
  // Before the next try to accept a client when the process has no descriptor left.
  std::chrono::milliseconds accept_pause{100};
};

}  // namespace quarry::http_server
