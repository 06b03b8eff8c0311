#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace quarry::http_server {

/// Bytes queued for a client above which nothing is read from it and no request of it dispatched.
inline constexpr std::size_t kMostUnsent = 64 * 1024;

/// What a server bears before it refuses. Sizes in bytes.
struct Limits {
  std::size_t header_bytes = 16 * 1024;  // request line and fields; also one chunk's own lines
  std::size_t header_count = 100;
  std::size_t body_bytes = 1024 * 1024;
  std::size_t bodies_bytes = 64 * 1024 * 1024;    // of bodies on their way, over all connections
  std::size_t connections = 10'000;               // over all loops
  std::chrono::milliseconds header_time{10'000};  // from a request's first byte to its last field
  std::chrono::milliseconds body_time{30'000};    // from there to the body's last byte
  std::chrono::milliseconds idle_time{75'000};    // without any byte of a request
  std::chrono::milliseconds write_time{30'000};   // in which the client takes nothing
};

}  // namespace quarry::http_server
