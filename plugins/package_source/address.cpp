#include "package_source/address.h"

#include <array>
#include <cstdint>
#include <string>

#include <arpa/inet.h>

namespace quarry::package_source {

bool is_private_address(std::string_view address) {
  const std::string text(address);
  std::array<std::uint8_t, 4> four{};
  if (::inet_pton(AF_INET, text.c_str(), four.data()) == 1) {
    return four[0] == 127 || four[0] == 10 || (four[0] == 172 && (four[1] & 0xf0) == 16) ||
           (four[0] == 192 && four[1] == 168);
  }
  std::array<std::uint8_t, 16> six{};
  if (::inet_pton(AF_INET6, text.c_str(), six.data()) != 1) return false;
  constexpr std::array<std::uint8_t, 16> kLoopback{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  return six == kLoopback || (six[0] & 0xfe) == 0xfc;
}

bool is_private_host(std::string_view host) {
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return host == "localhost" || host.ends_with(".localhost") || is_private_address(host);
}

}  // namespace quarry::package_source
