#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::http_server {

/// An address that a server listens on.
struct Address {
  std::string ip;          // "127.0.0.1" or "::1", without brackets
  std::uint16_t port = 0;  // 0 = any free port
  bool optional = false;   // the machine may lack it (::1 of "localhost")
  bool secure = false;     // serves TLS
  int passed = -1;         // a socket that listens there already; -1 = none

  [[nodiscard]] bool is_loopback() const;
  /// "http://127.0.0.1:8080", "https://[::1]:8080"
  [[nodiscard]] std::string url() const;
};

/// Parses "127.0.0.1:8080", "[::1]:8080" or "localhost:8080" (both loopback addresses, the second
/// one optional). Empty if `text` is none of these.
[[nodiscard]] std::vector<Address> parse_listen(std::string_view text);

/// True if `text` is an IPv4 address, or an IPv6 address in brackets.
[[nodiscard]] bool is_ip_literal(std::string_view text);

/// The text of an IP address by which it is compared with others: IPv6 in its shortest form, and
/// IPv4 in place of "::ffff:192.0.2.1", which a socket for both shows. Other texts stay.
[[nodiscard]] std::string canonical_ip(const std::string& text);

}  // namespace quarry::http_server
