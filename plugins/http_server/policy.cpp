#include "policy.h"

#include "address.h"

#include <algorithm>

namespace quarry::http_server {
namespace {

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::any_of(
      names, [&](const std::string& one) { return equal_ignoring_case(one, name); });
}

/// The host of "host:port", brackets of an IPv6 address kept.
std::string_view without_port(std::string_view authority) {
  const std::size_t colon = authority.rfind(':');
  const std::size_t bracket = authority.rfind(']');
  if (colon == authority.npos || (bracket != authority.npos && colon < bracket)) return authority;
  return authority.substr(0, colon);
}

bool is_own(std::string_view origin, std::string_view host) {
  // With TLS, or behind a proxy with TLS, the same host and port are "https".
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (origin.starts_with(scheme)) return equal_ignoring_case(origin.substr(scheme.size()), host);
  }
  return false;
}

}  // namespace

AccessPolicy::Verdict AccessPolicy::check(const Request& request) const {
  const std::string_view host = without_port(request.host);
  const bool known = (request.http_1_0 && host.empty()) || equal_ignoring_case(host, "localhost") ||
                     is_ip_literal(host) || contains(allowed_hosts, host);
  if (!known) return Verdict::kForeignHost;
  // Every Origin field, since a proxy or a faulty browser may send several.
  const bool allowed = std::ranges::all_of(request.headers, [&](const Header& header) {
    return !equal_ignoring_case(header.name, "Origin") || is_own(header.value, request.host) ||
           is_configured_origin(header.value);
  });
  return allowed ? Verdict::kAllowed : Verdict::kForeignOrigin;
}

bool AccessPolicy::is_configured_origin(std::string_view origin) const {
  return contains(allowed_origins, origin);
}

}  // namespace quarry::http_server
