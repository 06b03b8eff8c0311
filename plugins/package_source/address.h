#pragma once

#include <string_view>

namespace quarry::package_source {

/// True for an address of this machine or of a private network (RFC 1918, RFC 4193), such as
/// "10.1.2.3" or "::1", without brackets. False for names.
bool is_private_address(std::string_view address);

/// True for such an address, also in brackets, and for "localhost": the hosts to which credentials
/// may be sent without TLS.
bool is_private_host(std::string_view host);

}  // namespace quarry::package_source
