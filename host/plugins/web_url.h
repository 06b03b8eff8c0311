#pragma once

#include "base/error.h"

#include <string>
#include <string_view>

namespace quarry::plugins {

/// True for https URLs and for http URLs of a loopback address, with a host and without user.
[[nodiscard]] bool is_safe_url(std::string_view url);

/// The URL that `reference` means in a document at `base` (RFC 3986, section 5.2).
/// kPermissionDenied unless it is safe (is_safe_url), and https if `base` is.
Result<std::string> resolve_url(std::string_view base, std::string_view reference);

}  // namespace quarry::plugins
